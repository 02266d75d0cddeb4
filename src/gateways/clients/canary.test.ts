import { tmpdir } from 'node:os'
import process from 'node:process'
import { expect, test } from 'vitest'
import { flyCanary } from './canary.ts'

/** A gateway that answers each request by `answer`, JavaScript with the request as `message` and a list `notes`. */
const gateway = (answer: string) =>
  [
    process.execPath,
    '-e',
    `const notes = []
     const text = (words, more) => ({ result: { content: [{ type: 'text', text: words }], ...more } })
     const deny = () => text('Sallyport: No.', { isError: true })
     const run = (note) => { notes.push(note); return text(notes.join(',')) }
     require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
       const message = JSON.parse(line)
       if (message.id === undefined) return
       const { note, command } = message.params?.arguments ?? {}
       const answer = note === undefined ? { result: {} } : (() => { ${answer} })()
       console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }))
     })`,
  ] as const

const fly = (command: readonly [string, ...string[]], observes = false, signal = new AbortController().signal) =>
  flyCanary({ command, env: {}, cwd: tmpdir(), observes, signal })

const GUARDS = 'return command === undefined ? run(note) : deny()'

test.each<{
  readonly name: string
  readonly answer: string
  readonly observes?: boolean
  readonly status: string
  readonly found: RegExp
}>([
  { name: 'refuses', answer: GUARDS, status: 'ok', found: /a refused one did not/ },
  { name: 'refuses nothing', answer: 'return run(note)', status: 'fail', found: /REACHED/ },
  {
    name: 'refuses after the server has seen it',
    answer: 'const ran = run(note); return command === undefined ? ran : deny()',
    status: 'fail',
    found: /REACHED/,
  },
  { name: 'only observes', answer: 'return run(note)', observes: true, status: 'warn', found: /only observes/ },
  {
    name: 'refuses everything',
    answer: 'return deny()',
    status: 'fail',
    found: /did not go through: Sallyport: No\.$/,
  },
  {
    name: 'gives another answer',
    answer: "return command === undefined ? text('Broken.') : deny()",
    status: 'fail',
    found: /did not go through: Broken\.$/,
  },
  {
    name: 'refuses with an error of the server',
    answer: "return command === undefined ? run(note) : text('No tool.', { isError: true })",
    status: 'fail',
    found: /was not refused by the guard: No tool\./,
  },
  {
    name: 'refuses, and then ends',
    answer: 'if (command) process.exit(1); return run(note)',
    status: 'fail',
    found: /was not refused by the guard/,
  },
  {
    name: 'prints other lines',
    answer: `console.log('hello'); console.log('null'); ${GUARDS}`,
    status: 'ok',
    found: /a refused one/,
  },
  {
    name: 'ends with a word of its own',
    answer: "console.error('broken'); process.exit(3)",
    status: 'fail',
    found: /did not go through: broken/,
  },
])('a gateway that $name', async ({ answer, observes, status, found }) => {
  expect(await fly(gateway(answer), observes)).toMatchObject({ status, found: expect.stringMatching(found) as string })
})

test('a gateway that cannot be started, or that does not answer', async () => {
  expect((await fly(['/nowhere/node'])).found).toContain('ENOENT')
  const stop = new AbortController()
  const flown = fly(gateway('stop'), false, stop.signal)
  stop.abort()
  expect((await flown).found).toContain('the gateway gave no answer')
})
