import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bash, say } from './mock-anthropic.ts'
import { clientEntry } from './run-client.ts'
import { install, makeStage } from './stage.ts'

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

test('uninstall gives back the settings to the byte, and the client runs free', async () => {
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

test('uninstall leaves no settings file where there was none', async () => {
  const stage = await makeStage()
  expect(await stage.cli('uninstall', 'claude-code', '--scope', 'user')).toMatchObject({ code: 0 })
  expect(existsSync(stage.world.settingsFile)).toBe(false)
})

test('doctor finds an installed world in order, canary included', async () => {
  const stage = await makeStage()
  const ran = await stage.cli('doctor', 'claude-code', '--client', clientEntry())
  expect(ran.err).toBe('')
  expect(ran).toMatchObject({ code: 0 })
  expect(ran.out).toMatch(/canary/i)
})

test('doctor says no once the hooks are gone', async () => {
  const stage = await makeStage()
  await stage.world.write(stage.world.settingsFile, '{}\n')
  expect(await stage.cli('doctor', 'claude-code', '--client', clientEntry())).toMatchObject({ code: 1 })
})
