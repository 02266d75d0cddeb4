import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { bash, call, say } from './mock-anthropic.ts'
import { makeStage, type Stage } from './stage.ts'

const configOf = ({ world }: Stage): string => join(world.home, '.config', 'sallyport', 'sallyport.yaml')

/** One call, and a change that is made by nobody the guard sees just before the model asks for it. */
const callAfter = async (stage: Stage, change: () => Promise<unknown>): Promise<{ ran: boolean; told: string }> => {
  const mark = join(stage.world.home, 'ran')
  await rm(mark, { force: true })
  const work = bash(`touch ${mark}`, async () => {
    await change()
  })
  const run = await stage.run({ turns: [bash('true'), work, say('DONE')] })
  return { ran: existsSync(mark), told: JSON.stringify(run.requests.at(-1)?.messages) + run.printed }
}

const nothing = async (): Promise<void> => undefined

test('the policy file is changed: the accepted policy stays active, and no call runs until the file is restored', async () => {
  const stage = await makeStage({ config: 'deny:\n  commands: [mkfifo]\n' })
  const held = await callAfter(stage, () => writeFile(configOf(stage), 'mode: observe\n'))
  expect([held.ran, held.told.includes('mode was added')]).toEqual([false, true])
  expect((await callAfter(stage, nothing)).ran).toBe(false)
  const refused = await stage.cli('changes', 'accept')
  expect([refused.code, refused.err.includes('SP_ACCEPT_TERMINAL')]).toEqual([2, true])
  expect((await stage.cli('changes', 'revert')).code).toBe(0)
  expect((await callAfter(stage, nothing)).ran).toBe(true)
})

test('benign twin: a comment in the policy has no effect', async () => {
  const stage = await makeStage({ config: 'deny:\n  commands: [mkfifo]\n' })
  const twin = await callAfter(stage, () => writeFile(configOf(stage), '# pipes\ndeny:\n  commands: [mkfifo]\n'))
  expect(twin.ran).toBe(true)
})

test('a change that is made while no guard runs is detected by the next guard', async () => {
  const stage = await makeStage({ config: 'deny:\n  commands: [mkfifo]\n' })
  expect((await callAfter(stage, nothing)).ran).toBe(true)
  await stage.guard.kill()
  await writeFile(configOf(stage), 'mode: observe\n')
  // The first prompt brings the guard back.
  await stage.run({ turns: [say('DONE')] })
  expect(await callAfter(stage, nothing)).toMatchObject({ ran: false })
})

/** The package as it would be installed, for a test to change. */
const copiedPackage = async (): Promise<string> => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const copy = await mkdtemp(join(homedir(), '.cache', 'sallyport-e2e', 'package-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true }))
  for (const part of ['src', 'policies', 'models', 'package.json'])
    await cp(join(root, part), join(copy, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

test('a file of the program of the guard is changed', async () => {
  const copy = await copiedPackage()
  process.env['SALLYPORT_E2E_CLI'] = join(copy, 'src', 'cli', 'main.ts')
  onTestFinished(() => {
    delete process.env['SALLYPORT_E2E_CLI']
  })
  const stage = await makeStage()
  expect((await callAfter(stage, nothing)).ran).toBe(true)
  const held = await callAfter(stage, async () => {
    await writeFile(join(copy, 'policies', 'baseline', 'policies.cedar'), 'permit (principal, action, resource);\n')
    // Program files are looked at every two seconds.
    await sleep(3_000)
  })
  expect([held.ran, held.told.includes('policies/baseline/policies.cedar was changed')]).toEqual([false, true])
})

test('a command restores changed settings, and the session continues', async () => {
  const stage = await makeStage()
  const { settingsFile } = stage.world
  const before = await stage.world.read(settingsFile)
  const held = await callAfter(stage, () => writeFile(settingsFile, '{"disableAllHooks":true}\n'))
  expect([held.ran, held.told.includes('sallyport changes revert')]).toEqual([false, true])
  const listed = await stage.cli('changes')
  expect([listed.code, listed.out.includes('disableAllHooks')]).toEqual([1, true])
  expect((await stage.cli('changes', 'revert')).code).toBe(0)
  expect(await stage.world.read(settingsFile)).toBe(before)
  expect((await callAfter(stage, nothing)).ran).toBe(true)
})

test('an agent cannot accept a change', async () => {
  const stage = await makeStage()
  const { world } = stage
  await mkdir(join(world.project, '.claude'), { recursive: true })
  await stage.run({
    turns: [
      call('Write', { file_path: join(world.project, 'note.md'), content: 'x' }),
      bash('script -qc "sallyport changes accept" /dev/null', () =>
        writeFile(world.settingsFile, '{"disableAllHooks":true}\n'),
      ),
      say('DONE'),
    ],
    allowedTools: 'Bash,Write',
  })
  expect((await stage.cli('changes')).code).toBe(1)
})
