/**
 * `npm run e2e -- openclaw-leaks [--in-turn] [WAYS] [KINDS] [ENCODINGS] [AT_A_TIME]`: every way by which words come to a
 * model x every kind of sensitive value x every encoding, on the real gateway; each part is an expression that names are
 * held against. With `--in-turn` each way and kind has one encoding, in turn: 57 x 13 values in place of 57 x 13 x 19.
 * Each value is looked for afterwards in every request to the model, and in every table and file of the host and of the
 * guard, raw, in JSON, base64, hex and UTF-16. Counted are values that are found where nothing says that they stay
 * (`leaks`), events that tell of what was not done (`untrue`), what was done and is told nowhere (`unsaid`), values
 * that the host itself has not taken (`absent`), conversations
 * that do not go on (`locked`) and ways by which not even benign words come (`shut`). One line of JSON.
 */
import { parseArgs } from 'node:util'
import { entryPaths } from './entry-paths.ts'
import { startGateway } from './gateway.ts'
import { testPlugins } from './gateway-config.ts'
import { connectRpc } from './gateway-rpc.ts'
import { runLeaks, scenariosOf, type Outcome } from './leak-run.ts'
import { pluginFolder, sallyportEntry } from './plugin-under-test.ts'
import { startTalk } from './talk.ts'
import { ENCODINGS, KINDS } from './values.ts'
import { WAYS_IN, type Place } from './ways-in.ts'

const { values: options, positionals } = parseArgs({
  options: { 'in-turn': { type: 'boolean', default: false } },
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
  entries: { ...testPlugins.entries, sallyport: sallyportEntry() },
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

const report = (outcomes: readonly Outcome[]): void => {
  const valued = outcomes.filter(({ value }) => value !== undefined)
  const lists = {
    leaks: valued.filter(({ leaks }) => leaks.length > 0),
    absent: valued.filter(({ absent }) => absent),
    untrue: valued.filter(({ untrue }) => untrue),
    unsaid: valued.filter(({ unsaid }) => unsaid),
    locked: outcomes.filter(({ locked, failed }) => locked !== undefined || failed !== undefined),
    shut: outcomes.filter(shut),
  }
  for (const [what, those] of Object.entries(lists))
    for (const one of those)
      console.error(`${what.toUpperCase()} ${describe(one)}: ${one.leaks.join(', ')} ${one.locked ?? one.failed ?? ''}`)
  const stays = valued.filter(({ stays: places }) => places.length > 0).length
  const figures = Object.fromEntries(Object.entries(lists).map(([what, those]) => [what, those.length]))
  console.log(
    JSON.stringify({
      name: 'openclaw-leaks',
      ways: chosen.ways.length,
      kinds: chosen.kinds.length,
      encodings: chosen.encodings.length,
      values: valued.length,
      figures: { ...figures, stays },
    }),
  )
}

try {
  await place.talk(entryPaths.http).turn('Hello.', { say: 'Hello.' })
  report(await runLeaks(place, scenarios, { data: `${address.state}/sallyport`, atATime: Number(atATime) }))
} finally {
  rpc.close()
  await gateway.stop()
}
