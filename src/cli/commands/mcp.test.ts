import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRecordedGuard } from '../../../test/support/recorded-guard.ts'
import type { RecordedGuard } from '../../../test/support/recorded-guard.ts'
import type { JsonObject } from '../../protocol/json.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Answers each call with the names of its variables, and ends with code 4. */
const SERVER = `
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id } = JSON.parse(line)
    const text = Object.keys(process.env).join(' ')
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }))
  }).on('close', () => { console.error('bye'); process.exit(4) })`

let guard: RecordedGuard
beforeAll(async () => {
  guard = await startRecordedGuard()
}, 60_000)
afterAll(async () => {
  await guard.stop()
  guard.remove()
})

interface Ran {
  readonly code: number | null
  readonly answers: readonly JsonObject[]
  readonly err: string
}

/** Runs `sallyport mcp` on lines of a client. */
const mcp = (args: readonly string[], calls: readonly JsonObject[], cwd = guard.project): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: guard.project.replace(/\/project$/, ''), SALLYPORT_TOKEN: 'secret' }
    const child = spawn(process.execPath, [MAIN, 'mcp', '--data', guard.data, ...args], { cwd, env })
    let [out, err] = ['', '']
    child.stdout.on('data', (part: Buffer) => (out += part.toString()))
    child.stderr.on('data', (part: Buffer) => (err += part.toString()))
    child.on('close', (code) => {
      const answers = out.split('\n').filter((line) => line !== '')
      resolve({ code, err, answers: answers.map((line) => JSON.parse(line) as JsonObject) })
    })
    child.stdin.end(calls.map((call) => `${JSON.stringify(call)}\n`).join(''))
  })

const call = (input: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'say', arguments: input },
})
const WRAPPED = ['--', process.execPath, '-e', SERVER]

test('a server behind the guard: its answer, its errors, its code, and none of our variables', async () => {
  const { code, answers, err } = await mcp(['--name', 'tiny', ...WRAPPED], [call({ words: 'hi' })])
  expect([code, err]).toEqual([4, 'bye\n'])
  const [{ result } = {}] = answers
  expect(JSON.stringify(result)).toContain('PATH')
  expect(JSON.stringify(result)).not.toContain('SALLYPORT')
})

test('what is denied does not reach the server, and is in the trace under its name', async () => {
  const { answers } = await mcp(['--name', 'tiny', ...WRAPPED], [call({ command: 'rm -rf ~' })])
  expect(answers).toMatchObject([{ id: 1, result: { isError: true } }])
  const sessions = (await guard.cli('trace', 'ls', '--json')).out.map(
    (line) => (JSON.parse(line) as { readonly session: string }).session,
  )
  const shown = await Promise.all(sessions.map((session) => guard.cli('trace', 'show', session, '--json')))
  const records = shown.flatMap(({ out }) => out).join('\n')
  expect(records).toContain('delete-home')
  expect(records).toContain('"server":"tiny"')
})

test('paths belong to the folder that the client started the server in', async () => {
  const inside = call({ command: 'rm -rf build' })
  const { answers } = await mcp(WRAPPED, [inside])
  expect(JSON.stringify(answers)).not.toContain('isError')
  const { answers: atRoot } = await mcp(WRAPPED, [inside], '/')
  expect(JSON.stringify(atRoot)).toContain('isError')
})

describe('wrong use', () => {
  test.each([
    { name: 'no command', args: [] },
    { name: 'nothing behind the dashes', args: ['--'] },
    { name: 'a name with a space', args: ['--name', 'a b', '--', 'true'] },
    { name: 'an unknown option', args: ['--url', 'http://localhost', '--', 'true'] },
  ])('$name', async ({ args }) => {
    const { code, answers } = await mcp(args, [])
    expect([code, answers]).toEqual([2, []])
  })
})
