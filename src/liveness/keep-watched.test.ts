import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const MODULE = new URL('./keep-watched.ts', import.meta.url).href

/** A watched program, and the output of its watch when it is terminated. */
const watched = async (then: string) => {
  const program = `const { keepWatched } = await import('${MODULE}'); keepWatched(); setTimeout(() => {}, 60_000); ${then}; console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let said = ''
  child.stderr.on('data', (part: Buffer) => (said += part.toString()))
  await once(child.stdout, 'data')
  return { child, said: () => said }
}

test.runIf(process.platform === 'linux')('a stopped program is ended, with the reason in the log', async () => {
  const { child, said } = await watched('')
  child.kill('SIGSTOP')
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
  expect(JSON.parse(said())).toMatchObject({ event: 'frozen guard ended', pid: child.pid, why: 'stopped' })
})

test('a program whose event loop is blocked is ended too', async () => {
  const { child, said } = await watched("process.on('SIGUSR2', () => { for (;;); })")
  child.kill('SIGUSR2')
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
  expect(JSON.parse(said())).toMatchObject({ why: 'silent' })
}, 60_000)

test('a program that ends by itself takes its watch along', async () => {
  const { child, said } = await watched("process.on('SIGUSR2', () => process.exit(7))")
  child.kill('SIGUSR2')
  // Closed when the last holder of its standard error has ended, the watch included.
  const [code] = (await once(child, 'close')) as [number | null]
  expect([code, said()]).toEqual([7, ''])
})

const WATCH = z.tuple([z.coerce.number()])

/** The watch of a program: its only child. */
const watchOf = async (pid: number | undefined): Promise<number> => {
  for (;;) {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    const found = WATCH.safeParse(children.trim().split(' ').filter(Boolean))
    if (found.success) return found.data[0]
    await sleep(20)
  }
}

test.runIf(process.platform === 'linux')('a watch that is killed is replaced, and watches on', async () => {
  const { child, said } = await watched('')
  const first = await watchOf(child.pid)
  process.kill(first, 'SIGKILL')
  for (let second = first; second === first; second = await watchOf(child.pid)) await sleep(20)
  child.kill('SIGSTOP')
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect([signal, JSON.parse(said())]).toMatchObject(['SIGKILL', { why: 'stopped' }])
})
