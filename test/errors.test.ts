import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeError, ERRORS } from '../src/errors.ts'

test('docs/errors.md and the code name the same errors, with the same words', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/errors.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(SP_\w+)` \| (.+?) \| (.+?) \|$/gm)].map(([, code, message, advice]) => [
    code,
    { message, advice },
  ])
  expect(Object.fromEntries(rows)).toEqual(ERRORS)
})

test('an error says what happened, to what, and what to do', () => {
  expect(describeError('SP_METHOD', { path: '/healthz', method: 'PUT', allowed: 'GET' })).toBe(
    '/healthz does not answer PUT. Use GET.',
  )
})
