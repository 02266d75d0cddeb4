import { createServer } from 'node:http'
import { readFile, writeFile } from 'node:fs/promises'
import { runCli } from '../e2e/cli.ts'
import { bash, say } from '../e2e/claude-code/mock-anthropic.ts'
import { runClient, type ClientRun } from '../e2e/claude-code/run-client.ts'
import { makeWorld, type World } from '../e2e/claude-code/world.ts'
import { startGuard } from '../e2e/guard.ts'
import { installClient } from '../e2e/install-client.ts'
import { killLeftGuard } from '../e2e/left-guard.ts'
import { portOf } from '../e2e/port-of.ts'
import { quantile, rounded, type Bench } from './bench.ts'

/** A client's world with one kind of hook in its settings. */
interface Variant {
  readonly name: 'ours' | 'noop' | 'cc_safety_net'
  readonly world: World
  readonly end: () => Promise<void>
}

/** What an agent types all day; cheap to run, so that the time goes to the hook. */
const COMMANDS = [
  'git status --short',
  'ls -la',
  'cat package.json | head -40',
  'grep -rn "TODO" src | head -20',
  "find . -name '*.ts' -not -path './node_modules/*' | wc -l",
  'git log --oneline -5 2>/dev/null || true',
  "sed -n '1,40p' src/index.ts",
  'mkdir -p build && echo built > build/stamp',
  'cd src && ls && cd ..',
  'echo "$PWD" && test -f package.json && echo yes',
  "printf 'a\\nb\\n' | sort -r | uniq -c",
  'diff -u src/index.ts src/index.ts && echo same',
] as const

const ROUNDS = 4
const CALLS_A_SESSION = 24

const fillProject = async (world: World): Promise<World> => {
  await world.write(`${world.project}/package.json`, '{ "name": "bench", "private": true }\n')
  await world.write(`${world.project}/src/index.ts`, '// TODO: say more\nexport const answer = 42\n')
  return world
}

const ours = async (client: string): Promise<Variant> => {
  const world = await fillProject(await makeWorld())
  const place = { env: world.env, cwd: world.project }
  const guard = await startGuard(place, world.data)
  const what = ['install', 'claude-code', '--scope', 'user', '--client', client]
  const installed = await runCli([...what, '--data', world.data, '--port', String(guard.port)], place)
  if (installed.code !== 0) throw new Error(`install ended with ${installed.code}: ${installed.out}${installed.err}`)
  const end = async (): Promise<void> => {
    await guard.stop()
    await killLeftGuard(world.data)
    await world.dispose()
  }
  return { name: 'ours', world, end }
}

/**
 * The guard's own settings, every hook of them, with a server at the other end that says `{}` and thinks nothing. It is
 * asked plainly, so that TLS counts as a cost of ours.
 */
const noop = async (guarded: World): Promise<Variant> => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{}')
    })
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const world = await fillProject(await makeWorld())
  const settings = await readFile(guarded.settingsFile, 'utf8')
  await writeFile(
    world.settingsFile,
    settings.replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, `http://127.0.0.1:${portOf(server)}`),
  )
  const end = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await world.dispose()
  }
  return { name: 'noop', world, end }
}

/** The command hook of npm's cc-safety-net, as its own plugin installs it, started anew for each call. */
const ccSafetyNet = async (): Promise<Variant> => {
  const program = await installClient('cc-safety-net')
  if (program.outcome === 'absent') throw new Error(program.why)
  const world = await fillProject(await makeWorld())
  const command = `${process.execPath} ${program.entry} hook -cc`
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] }
  await world.write(world.settingsFile, JSON.stringify({ hooks }))
  return { name: 'cc_safety_net', world, end: () => world.dispose() }
}

/** Milliseconds from the client's word that it fired the hook to its word that it has the answer, for each call. */
const hookTimes = (run: ClientRun): readonly number[] => {
  const started = new Map<string, number>()
  const times: number[] = []
  run.events.forEach((event, index) => {
    const at = run.arrivedAt[index] ?? Number.NaN
    if (event.hook_event !== 'PreToolUse' || event.hook_id === undefined) return
    if (event.subtype === 'hook_started') started.set(event.hook_id, at)
    if (event.subtype === 'hook_response') times.push(at - (started.get(event.hook_id) ?? Number.NaN))
  })
  return times
}

const session = async ({ name, world }: Variant, client: string): Promise<readonly number[]> => {
  const turns = Array.from({ length: CALLS_A_SESSION }, (_, index) => bash(COMMANDS[index % COMMANDS.length] ?? 'true'))
  const run = await runClient({ world, client, turns: [...turns, say('DONE')] })
  const times = hookTimes(run)
  // A call that was denied or not asked about would make a figure of something else.
  if (times.length !== CALLS_A_SESSION || run.result?.permission_denials?.length !== 0 || run.result.result !== 'DONE')
    throw new Error(`The ${name} session went wrong: ${times.length} hooks, ${run.printed.slice(-2000)}`)
  return times
}

/**
 * Sessions of the variants in turn, each round beginning with another one: what slows the machine slows all. Before
 * that, one session each that does not count: a guard runs for days, so what it is like in its first minute is not it.
 */
const alternate = async (
  variants: readonly Variant[],
  client: string,
): Promise<ReadonlyMap<Variant['name'], readonly number[]>> => {
  for (const variant of variants) await session(variant, client)
  const samples = new Map(variants.map(({ name }): [Variant['name'], readonly number[]] => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (let place = 0; place < variants.length; place += 1) {
      const variant = variants[(round + place) % variants.length]
      if (variant === undefined) continue
      samples.set(variant.name, [...(samples.get(variant.name) ?? []), ...(await session(variant, client))])
    }
  return samples
}

/**
 * The PreToolUse hook as the real Claude Code client sees it: our installed guard, the same settings with a no-op
 * server behind them, and a spawned cc-safety-net, in one run. `ratio_noop` and `ratio_cc_safety_net` are our p50
 * divided by theirs: below 1 is faster than they are.
 */
export const hook: Bench = async () => {
  const client = await installClient('claude-code')
  if (client.outcome === 'absent') throw new Error(client.why)
  const ends: (() => Promise<void>)[] = []
  const open = async (variant: Promise<Variant>): Promise<Variant> => {
    const opened = await variant
    ends.push(opened.end)
    return opened
  }
  try {
    const guarded = await open(ours(client.entry))
    const variants = [guarded, await open(noop(guarded.world)), await open(ccSafetyNet())]
    const samples = await alternate(variants, client.entry)
    const at = (name: Variant['name'], share: number): number => quantile(samples.get(name) ?? [], share)
    const names = ['ours', 'noop', 'cc_safety_net'] as const
    const each = names.flatMap((name) => [
      [`${name}_p50_ms`, rounded(at(name, 0.5))],
      [`${name}_p95_ms`, rounded(at(name, 0.95))],
    ])
    return {
      figures: {
        ratio_noop: rounded(at('ours', 0.5) / at('noop', 0.5)),
        ratio_cc_safety_net: rounded(at('ours', 0.5) / at('cc_safety_net', 0.5)),
        ...Object.fromEntries(each),
        calls_each: ROUNDS * CALLS_A_SESSION,
      },
      goals: [{ figure: 'ratio_noop', op: '<=', value: 1.5 }],
    }
  } finally {
    for (const end of ends) await end()
  }
}
