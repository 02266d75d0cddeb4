/**
 * `npm run e2e -- openclaw-leaks [SHARE] [SEED] [WAY]`: every way in x every kind of sensitive value x every encoding.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCli } from '../cli.ts'
import { parseEvents } from '../trace.ts'
import { startGateway } from './gateway.ts'
import { connectRpc } from './gateway-rpc.ts'
import { testPlugins } from './gateway-config.ts'
import { createNeedles } from './needles.ts'
import { pluginFolder, sallyportEntry } from './plugin-under-test.ts'
import { eachCell } from './state-search.ts'
import { startTalk, type Talk } from './talk.ts'
import { ENCODINGS, KINDS, written, type Written } from './values.ts'
import { WAYS_IN, type Place, type WayIn } from './ways-in.ts'

const [, , share = '0.02', seed = '1', filter = ''] = process.argv
const GUARDED = process.env['UNGUARDED'] !== '1'
const AT_A_TIME = 6
interface Scenario {
  readonly way: WayIn
  readonly mark: string
  readonly value?: Written
  locked?: string
  failed?: string
  readonly found: Set<string>
  reached: boolean
  claims: Set<string>
}
const wanted = (name: string) => new RegExp(filter).test(name)
const kinds = process.env['KINDS'] ? KINDS.filter(k => process.env['KINDS']!.split(',').some(n => k.name.includes(n))) : KINDS
const encodings = process.env['ENC'] ? ENCODINGS.filter(k => process.env['ENC']!.split(',').some(n => k.name.includes(n))) : ENCODINGS
let count = 0
const scenarios: Scenario[] = []
const make = (way: WayIn, value?: Written): void => {
  count += 1
  scenarios.push({ way, mark: `mark${seed}q${count}q`, ...(value ? { value } : {}), found: new Set(), reached: false, claims: new Set() })
}
for (const way of WAYS_IN.filter(({ name }) => wanted(name))) {
  make(way)
  for (const kind of kinds) for (const encoding of encodings) make(way, written(kind, encoding))
}
const gateway = await startGateway({
  folders: [...testPlugins.folders, pluginFolder],
  entries: { ...testPlugins.entries, sallyport: GUARDED ? sallyportEntry() : { enabled: false } },
})
const { address } = gateway
const rpc = await connectRpc(address.port, address.token)
let talks = 0
const place: Place = { gateway: address, rpc, talk: (path) => startTalk(address, rpc, path, `l${seed}x${(talks += 1)}`) }
const run = async (one: Scenario): Promise<void> => {
  const words = `Work with this: ${one.value?.text ?? 'a pumpkin'}\nThanks, ${one.mark}.`
  try {
    const talk = await one.way.bring(place, words)
    const next = await talk.turn('And now to something else.', { say: 'With pleasure.' }, { say: 'With pleasure.' })
    if (next.shown.last !== 'With pleasure.') one.locked = next.shown.last || JSON.stringify(next.shown)
  } catch (error) { one.failed = String(error).slice(0, 300) }
}
try {
  const started = Date.now()
  await startTalk(address, rpc, (await import('./entry-paths.ts')).entryPaths.http, 'warm').turn('Hello.', { say: 'x' })
  for (const one of scenarios.filter(({ way }) => way.alone)) await run(one)
  const rest = scenarios.filter(({ way }) => !way.alone)
  let next = 0
  await Promise.all(Array.from({ length: AT_A_TIME }, async () => {
    while (next < rest.length) { const one = rest[next++]; if (one) await run(one) }
  }))
  await sleep(5000)
  const needles = createNeedles<Scenario>()
  const marks = createNeedles<Scenario>()
  for (const one of scenarios) { marks.add(one.mark, one); for (const n of one.value?.needles ?? []) if (n.length >= 8) needles.add(n, one) }
  const requests = join(address.model, 'requests')
  for (const name of await readdir(requests)) {
    const bytes = await readFile(join(requests, name))
    for (const one of needles.in(bytes)) one.found.add('MODEL')
    for (const one of marks.in(bytes)) one.reached = true
  }
  for (const folder of [address.state, address.workspace, join(address.root, 'tmp'), join(address.root,'home')])
    await eachCell(folder, (where, bytes) => { for (const one of needles.in(bytes)) one.found.add(relative(address.root, folder) + '/' + where) })
  for (const f of [address.logFile, address.sentFile]) for (const one of needles.in(await readFile(f))) one.found.add(relative(address.root, f))
  if (GUARDED) {
  const tail = await runCli(['trace', 'tail', '-n', '1000000', '--json', '--data', join(address.state, 'sallyport')], { env: address.env, cwd: address.workspace })
  for (const event of parseEvents(tail.out)) {
    const text = JSON.stringify(event)
    for (const one of marks.in(Buffer.from(text))) {
      const decision = /"decision":"(\w+)"/.exec(text)?.[1] ?? '-'
      const ev = /"event":"(\w+)"/.exec(text)?.[1] ?? event.type
      one.claims.add(`${ev}:${decision}`)
    }
  } }
  for (const way of WAYS_IN) {
    const mine = scenarios.filter((one) => one.way === way)
    if (mine.length === 0) continue
    const control = mine.find(({ value }) => value === undefined)
    const found = mine.filter(({ found }) => found.size > 0)
    console.log(`${way.name.padEnd(48)} control ${control?.reached ? 'open' : 'SHUT'} ${control?.locked ?? ''} ${control?.failed ?? ''} found ${found.length}/${mine.length - 1} model ${found.filter(({ found }) => found.has('MODEL')).length} locked ${mine.filter(({ locked }) => locked).length}`)
    console.log(`      control claims: ${[...control?.claims ?? []].join(' ')}`)
    for (const one of mine.filter((o) => o.value)) if (one.found.size || one.locked || one.failed || process.env['V'])
      console.log(`      ${one.value?.kind.name} | ${one.value?.encoding.name} | reached ${one.reached} | ${[...one.found].join(', ')} | ${one.locked ?? ''} ${one.failed ?? ''} | ${[...one.claims].join(' ')}`)
  }
  console.log(`${scenarios.length} scenarios, ${Math.round((Date.now() - started) / 1000)} s`)
} finally { rpc.close(); await gateway.stop() }
