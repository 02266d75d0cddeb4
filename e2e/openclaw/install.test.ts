/** `sallyport install | doctor | uninstall openclaw`, with the host's own program and the running gateway. */
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runCli } from '../cli.ts'
import type { ProgramRun } from '../run-program.ts'
import { entryPaths } from './entry-paths.ts'
import { hostEntry } from './gateway.ts'
import { pluginFolder } from './plugin-under-test.ts'
import { openStage } from './stage.ts'

const stage = await openStage()
const { gateway } = stage

const CHECKS = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), status: z.enum(['ok', 'warn', 'fail']), found: z.string() })),
})

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ProgramRun> =>
  runCli(args, { env: { ...gateway.env, SALLYPORT_OPENCLAW_PLUGIN: pluginFolder, ...env }, cwd: gateway.workspace })

const doctor = async (env: Readonly<Record<string, string>> = {}) => {
  const { code, out, err } = await run(['doctor', 'openclaw', '--json', '--client', hostEntry()], env)
  expect(err).toBe('')
  const { ok, checks } = CHECKS.parse(JSON.parse(out))
  expect(code).toBe(ok ? 0 : 1)
  return checks.map(({ name, status, found }) => `${status} ${name}: ${found}`)
}

describe('a separate OpenClaw, without a gateway', () => {
  const root = join(gateway.root, 'installed')
  const config = join(root, 'openclaw.json')
  const own = { OPENCLAW_STATE_DIR: join(root, 'state'), OPENCLAW_CONFIG_PATH: config }
  // As a person writes it; nothing listens on that port.
  const AUTHORED =
    "// mine\n{\n  gateway: { mode: 'local', port: 9, auth: { mode: 'token', token: 'x' } }, // local\n}\n"

  beforeAll(async () => {
    await mkdir(own.OPENCLAW_STATE_DIR, { recursive: true })
    await writeFile(config, AUTHORED)
  })

  test('install: OpenClaw reports that it loads the plugin with every hook that it registers', async () => {
    const { code, out } = await run(['install', 'openclaw', '--client', hostEntry()], own)
    expect(out).toMatch(/^ok {4}plugin +OpenClaw loads Sallyport [\d.]+ with 1\d hooks$/m)
    expect(code).toBe(0)
    expect(await readFile(config, 'utf8')).toContain("port: 9, auth: { mode: 'token', token: 'x' } }, // local")
  })

  test('without the permission doctor lists the missing hooks', async () => {
    const text = await readFile(config, 'utf8')
    await writeFile(config, text.replace('"allowConversationAccess": true', '"allowConversationAccess": false'))
    const checks = await doctor(own)
    expect(checks.find((check) => check.startsWith('fail hooks: OpenClaw does not fire'))).toMatch(
      /before_agent_finalize.*before_agent_run.*before_prompt_build.*llm_input/,
    )
    await writeFile(config, text)
  })

  test('a missing plugin is reported: the gateway would run without it', async () => {
    const text = await readFile(config, 'utf8')
    const copy = join(root, 'plugin')
    await cp(pluginFolder, copy, { recursive: true })
    await rm(join(copy, 'dist'), { recursive: true })
    await writeFile(config, text.replace(JSON.stringify(pluginFolder), JSON.stringify(copy)))
    expect((await doctor(own)).filter((check) => check.startsWith('fail plugin'))).toEqual([
      expect.stringMatching(/extension entry not found: dist\/index\.js\. The gateway keeps running WITHOUT the guard/),
    ])
    await writeFile(config, text)
  })

  test('uninstall restores the file byte for byte', async () => {
    expect((await run(['uninstall', 'openclaw'], own)).code).toBe(0)
    expect(await readFile(config, 'utf8')).toBe(AUTHORED)
  })
})

describe('a running gateway', () => {
  const config = join(gateway.root, 'openclaw.json')
  const data = ['--data', gateway.data]

  /** The gateway looks at its file by itself, and takes a second or two. */
  const untilGuarded = (guarded: boolean): Promise<void> =>
    expect
      .poll(
        () =>
          stage.rpc.call('sallyport.status', {}).then(
            () => true,
            () => false,
          ),
        { timeout: 60_000, interval: 500 },
      )
      .toBe(guarded)

  beforeAll(() => stage.usePlugins({}))

  test('doctor reports a missing guard', async () => {
    const checks = await doctor()
    expect(checks).toContain('fail gateway: the gateway answers, and the guard is NOT loaded in it: nothing is guarded')
    expect(checks).toContain('fail config: The plugin is not enabled.')
  })

  test('install: the gateway loads the guard without a restart, and the canary is refused', async () => {
    const before = await readFile(config, 'utf8')
    const installed = await run(['install', 'openclaw', ...data, '--client', hostEntry()])
    expect(installed.out).toMatch(/^ok {4}plugin/m)
    expect(installed.code).toBe(0)
    await untilGuarded(true)
    expect(await doctor()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^ok gateway: /),
        expect.stringMatching(/^ok canary: the gateway did not run it: Sallyport: /),
      ]),
    )

    const guarded = await readFile(config, 'utf8')
    // What says at the next start where the configuration lies; the name of the other one means nothing.
    const variables = join(gateway.state, '.env')
    const commands = [
      `sed -i 's/"enabled": true/"enabled": false/' ${config}`,
      `echo OPENCLAW_CONFIG_PATH=/nowhere >> ${variables}`,
    ]
    const calls = commands.map((command) => ({ tool: 'exec', input: { command } }))
    const turn = await stage.talk(entryPaths.channel).turn('Tidy up.', { calls }, { say: 'I could not.' })
    expect(turn.shown.last).toBe('I could not.')
    expect(await readFile(config, 'utf8')).toBe(guarded)
    expect(existsSync(variables)).toBe(false)

    expect((await run(['uninstall', 'openclaw'])).code).toBe(0)
    expect(await readFile(config, 'utf8')).toBe(before)
    await untilGuarded(false)
  })
})
