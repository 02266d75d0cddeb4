/** Node's own debugger: any process that may send a signal could open it in a running guard, and change its answers. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'

const MAIN = join(import.meta.dirname, 'main.ts')

const serving = async (program: readonly string[]) => {
  const data = await mkdtemp(join(tmpdir(), 'sallyport-'))
  const child = spawn(process.execPath, [...program, '--port', '0', '--data', data], {
    env: { ...process.env, HOME: data, SALLYPORT_CONFIG_HOME: join(data, 'config'), NODE_OPTIONS: '' },
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(data, { recursive: true, force: true })
  })
  let said = ''
  child.stderr.on('data', (part: Buffer) => (said += part.toString()))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return { child, said: () => said }
}

test.each([
  { name: 'started directly', program: [MAIN, 'serve'] },
  { name: 'started by a hook', program: ['--disable-sigusr1', MAIN, 'serve'] },
])(
  'SIGUSR1 does not open it in a running guard $name',
  async ({ program }) => {
    const { child, said } = await serving(program)
    child.kill('SIGUSR1')
    await sleep(500)
    expect([child.exitCode, child.signalCode, said()]).toEqual([null, null, expect.not.stringContaining('Debugger')])
  },
  30_000,
)
