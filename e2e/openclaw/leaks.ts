/**
 * `npm run e2e -- openclaw-leaks [OPTIONS] [WAYS] [KINDS] [ENCODINGS] [AT_A_TIME]`: every way by which words come to a model
 * x every kind of sensitive value x every encoding, on the real gateway. WAYS, KINDS and ENCODINGS are expressions that
 * are matched with names. Options:
 * - `--together 1`: one message for each way and encoding with a value of every kind; `--together 5`: for five encodings.
 *   The trace shows by its places which values of a message were masked; the others of a refused message are sent again
 *   without those. A line of JSON follows each part of the encodings; the last line is that of the whole run.
 * - `--in-turn`: each way and kind has one encoding, in turn.
 * - `--unguarded`: without the plugin; the search then has to find every value.
 *
 * Each value is looked for in every request to the model, and in every table and file of the host and of the guard, raw,
 * in JSON, base64, hex and UTF-16. Counted are values that are found where no page says that they stay (`leaks`), events
 * that report what was not done (`untrue`), what was done and not recorded (`unsaid`), values that the host itself does
 * not accept (`absent`), values that no request shows (`unseen`, unguarded), conversations that do not continue
 * (`locked`), ways by which not even benign words come (`shut`), and values that were sent again (`again`).
 */
import { parseArgs } from 'node:util'
import { entryPaths } from './entry-paths.ts'
import { startGateway } from './gateway.ts'
import { testPlugins } from './gateway-config.ts'
import { connectRpc } from './gateway-rpc.ts'
import { againOf, createLeakRun, scenariosOf, together, type Message, type Outcome } from './leak-run.ts'
import { pluginFolder, sallyportEntry } from './plugin-under-test.ts'
import { startTalk } from './talk.ts'
import { ENCODINGS, KINDS } from './values.ts'
import { WAYS_IN, type Place } from './ways-in.ts'

const { values: options, positionals } = parseArgs({
  options: {
    together: { type: 'string' },
    'in-turn': { type: 'boolean', default: false },
    unguarded: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const [ways = '.', kinds = '.', encodings = '.', atATime = '6'] = positionals
const named = <T extends { readonly name: string }>(list: readonly T[], expression: string): readonly T[] =>
  list.filter(({ name }) => new RegExp(expression).test(name))

const chosen = { ways: named(WAYS_IN, ways), kinds: named(KINDS, kinds), encodings: named(ENCODINGS, encodings) }
const scenarios = scenariosOf(chosen.ways, chosen.kinds, chosen.encodings, {
  name: 'l',
  inTurn: options['in-turn'],
})

const gateway = await startGateway({
  folders: [...testPlugins.folders, pluginFolder],
  entries: { ...testPlugins.entries, sallyport: { ...sallyportEntry(), enabled: !options.unguarded } },
})
const { address } = gateway
const rpc = await connectRpc(address.port, address.token)
const count = { talks: 0 }
const place: Place = {
  gateway: address,
  rpc,
  talk: (path) => {
    count.talks += 1
    return startTalk(address, rpc, path, `l${count.talks}x`)
  },
}

const describe = ({ way, value }: Outcome): string =>
  value === undefined ? way.name : `${way.name} | ${value.kind.name} | ${value.encoding.name}`

const shut = ({ way, value, open }: Outcome): boolean => value === undefined && !open && way.keptOnly !== true

const unseen = ({ way, leaks, stays }: Outcome): boolean =>
  options.unguarded && way.keptOnly !== true && ![...leaks, ...stays].some((where) => where.includes('model'))

const printed = new Set<string>()

const report = (outcomes: readonly Outcome[]): void => {
  const valued = outcomes.filter(({ value, refused }) => value !== undefined && !refused)
  const lists = {
    leaks: valued.filter(({ leaks }) => leaks.length > 0),
    absent: valued.filter(({ absent }) => absent),
    untrue: valued.filter(({ untrue }) => untrue),
    unsaid: valued.filter(({ unsaid }) => unsaid),
    unseen: valued.filter(unseen),
    locked: outcomes.filter(({ locked, failed }) => locked !== undefined || failed !== undefined),
    shut: outcomes.filter(shut),
  }
  for (const [what, those] of Object.entries(lists))
    for (const one of those) {
      const line = `${what.toUpperCase()} ${describe(one)}: ${one.leaks.join(', ')} ${one.locked ?? one.failed ?? ''}`
      // Without the guard, leaks are what is expected.
      if (!printed.has(line) && !(options.unguarded && what === 'leaks')) console.error(line)
      printed.add(line)
    }
  const figures = Object.fromEntries(Object.entries(lists).map(([what, those]) => [what, those.length]))
  console.log(
    JSON.stringify({
      name: 'openclaw-leaks',
      ways: new Set(outcomes.map(({ way }) => way)).size,
      kinds: new Set(valued.map(({ value }) => value?.kind)).size,
      encodings: new Set(valued.map(({ value }) => value?.encoding)).size,
      values: valued.length,
      figures: {
        ...figures,
        stays: valued.filter(({ stays }) => stays.length > 0).length,
        again: outcomes.filter(({ refused }) => refused).length,
      },
    }),
  )
}

const parts: readonly (readonly Message[])[] =
  options.together === undefined
    ? [scenarios.map((one) => [one])]
    : together(scenarios, chosen.encodings, Number(options.together))

try {
  await place.talk(entryPaths.http).turn('Hello.', { say: 'Hello.' })
  const run = createLeakRun(place, { data: `${address.state}/sallyport`, atATime: Number(atATime) })
  for (const part of parts) {
    let messages = part
    let outcomes: readonly Outcome[] = []
    while (messages.length > 0) {
      await run.bring(messages)
      outcomes = await run.outcomes()
      messages = againOf(messages, outcomes)
    }
    report(outcomes)
  }
} finally {
  rpc.close()
  await gateway.stop()
}
