import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { bash, say } from './mock-anthropic.ts'
import { clientEntry } from './run-client.ts'
import { install, makeStage, type Stage } from './stage.ts'

/** A person's own settings, in their own spacing and with hooks of their own. */
const OWN_SETTINGS = `{
   "model": "opus",
   "hooks": {
      "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ]
   },
   "permissions": { "allow": ["Bash(ls:*)"] }
}
`

test('a second install changes nothing', async () => {
  const stage = await makeStage({ settings: OWN_SETTINGS })
  const installed = await stage.world.read(stage.world.settingsFile)
  await install(stage.world, stage.guard.port)
  expect(await stage.world.read(stage.world.settingsFile)).toBe(installed)
})

test('uninstall restores the settings byte for byte, and the client runs without the guard', async () => {
  const stage = await makeStage({ settings: OWN_SETTINGS })
  expect(await stage.world.read(stage.world.settingsFile)).not.toBe(OWN_SETTINGS)
  const ran = await stage.cli('uninstall', 'claude-code', '--scope', 'user')
  expect(ran).toMatchObject({ code: 0 })
  expect(await stage.world.read(stage.world.settingsFile)).toBe(OWN_SETTINGS)
  const folder = join(stage.world.home, 'papers')
  const paper = await stage.world.write(join(folder, 'thesis.md'), 'ten years of work\n')
  await stage.run({ turns: [bash(`rm -rf ${folder}`), say('DONE')] })
  expect(existsSync(paper)).toBe(false)
})

test('uninstall removes a settings file that did not exist before', async () => {
  const stage = await makeStage()
  expect(await stage.cli('uninstall', 'claude-code', '--scope', 'user')).toMatchObject({ code: 0 })
  expect(existsSync(stage.world.settingsFile)).toBe(false)
})

const CHECKUP = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), status: z.enum(['ok', 'warn', 'fail']), found: z.string() })),
})

/** What doctor says of a stage: its exit code, and the checks that are not in order. */
const checkup = async (stage: Stage) => {
  const ran = await stage.cli('doctor', 'claude-code', '--client', clientEntry(), '--json')
  const { ok, checks } = CHECKUP.parse(JSON.parse(ran.out))
  const names = (status: string): readonly string[] =>
    checks.filter((check) => check.status === status).map(({ name }) => name)
  return { code: ran.code, ok, fine: names('ok'), warned: names('warn'), failed: names('fail') }
}

const IN_ORDER = [
  { scope: 'project', warned: ['keys'] },
  // No key is enrolled here: doctor says that nobody can approve beside the host. A repository may switch off what only the person's own settings hold: doctor says so before one does.
  { scope: 'user', warned: ['hooks on', 'keys'] },
] as const

for (const { scope, warned } of IN_ORDER) {
  test(`doctor accepts an installation for the ${scope}, canary included`, async () => {
    const found = await checkup(await makeStage({ scope }))
    expect(found).toMatchObject({ code: 0, ok: true, warned, failed: [] })
    expect(found.fine).toContain('canary')
  })
}

test('doctor fails when the hooks are missing, and its canary confirms it', async () => {
  const stage = await makeStage()
  await stage.world.write(stage.world.settingsFile, '{}\n')
  const found = await checkup(stage)
  expect(found).toMatchObject({ code: 1, ok: false })
  expect(found.failed).toContain('canary')
})

test('doctor fails in a repository that switches hooks off', async () => {
  const stage = await makeStage()
  await stage.world.write(join(stage.world.project, '.claude', 'settings.json'), '{ "disableAllHooks": true }\n')
  const found = await checkup(stage)
  expect(found).toMatchObject({ code: 1, ok: false })
  expect(found.failed).toContain('canary')
})
