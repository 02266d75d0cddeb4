/** Scripts of the repository state what they accept, and do nothing when they are called in another way. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'

const scripts = join(import.meta.dirname, '../scripts')

const run = async (args: readonly string[]): Promise<{ code: unknown; out: string; err: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...args], (error, out, err) => resolve({ code: error?.code ?? 0, out, err }))
  })

test.each(['check', 'complete-lock', 'fuzz', 'generate', 'source-limits', 'stand-in'])('%s', async (name) => {
  const script = join(scripts, `${name}.ts`)
  const [helped, wrong, extra] = await Promise.all([
    run([script, '--help']),
    run([script, '--wrong']),
    run([script, 'a', 'b']),
  ])
  expect(helped).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: npm run .*\n$/), err: '' })
  expect(wrong).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^Unknown option '--wrong'\.\nUsage: .*\n$/),
  })
  expect(extra).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^Unknown argument '[ab]'\.\nUsage: .*\n$/),
  })
})
