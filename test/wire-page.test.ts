import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAskedGuard } from './conformance/aos/guard.ts'
import type { AskedGuard } from './conformance/aos/guard.ts'
import { AOS_METHODS } from '../src/protocol/aos/methods.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/wire.md'), 'utf8')
const SECRET = 'the secret of the page'

/** Blocks of the page: definitions, and commands with the JSON lines below them, which are part of their answers. */
const setup = [...page.matchAll(/^```sh setup\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text).join('\n')
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$(?:\n\n```json\n([\s\S]*?)^```$)?/gm)].map(
  ([, commands = '', answers = '']) => ({ commands, answers: answers.split('\n').filter((line) => line !== '') }),
)

/** Separates the answers of two blocks in the output of the shell. */
const BREAK = '\u001e'

let guard: AskedGuard
let outputs: readonly (readonly string[])[]
beforeAll(async () => {
  guard = await startAskedGuard({ SALLYPORT_ACS_SECRET: SECRET })
  // One shell for the whole page, as a reader has it.
  const script = blocks.map(({ commands }) => `${commands}\nprintf '${BREAK}'`).join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-euc', `${setup}\n${script}`], {
    cwd: root,
    env: {
      PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: '/nowhere',
      SHLVL: '1',
      GUARD: guard.running.url,
      TOKEN: guard.running.token,
      ACS_SECRET: SECRET,
      ACS_SESSION: randomUUID(),
    },
  })
  outputs = stdout.split(BREAK).map((output) => output.split('\n').filter((line) => line !== ''))
  // The page starts Node for each request that has to be signed.
}, 60_000)
afterAll(async () => guard.stop())

describe('docs/wire.md', () => {
  test('has a program that runs unchanged', async () => {
    const [, program = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? []
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-page-'))
    const given = `const token = ${JSON.stringify(guard.running.token)}\nconst run = (input) => console.log(input)\n`
    await writeFile(
      join(folder, 'program.ts'),
      given +
        program
          .replace("'sallyport/client'", JSON.stringify(pathToFileURL(join(root, 'src/client/index.ts')).href))
          .replace('http://127.0.0.1:4775', guard.running.url),
    )
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.ts')])
    await rm(folder, { recursive: true })
    expect(stdout).toBe("{ command: 'ls' }\n")
  })

  test('has a command for each method of AOS 0.1.0', () => {
    const methods = AOS_METHODS.filter(({ extension }) => extension !== true).map(({ name }) => name)
    expect(methods).toHaveLength(16)
    const called = blocks.flatMap(({ commands }) =>
      [...commands.matchAll(/^(?:(step) |call |peer |.*"method": ")([\w/]+)/gm)].map(
        ([, step, name = '']) => `${step === undefined ? '' : 'steps/'}${name}`,
      ),
    )
    expect(methods.filter((name) => !called.includes(name))).toEqual([])
  })

  test.each(blocks.map((block, index) => ({ ...block, index })))('block $index is answered as below it', (block) => {
    const given = (outputs[block.index] ?? []).map((line) => JSON.parse(line) as object)
    if (block.answers.length > 0) {
      expect(given).toHaveLength(block.answers.length)
      for (const [at, answer] of block.answers.entries()) expect(given[at]).toMatchObject(JSON.parse(answer) as object)
      return
    }
    expect(given).toHaveLength([...block.commands.matchAll(/^acs /gm)].length)
    for (const answer of given) expect(answer).toMatchObject({ result: { decision: 'allow' } })
    expect(given.at(-1)).toMatchObject({ result: { payload: { status: 'ok', echo: 'hello' } } })
  })
})
