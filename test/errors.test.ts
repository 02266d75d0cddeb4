import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeError, ERRORS } from '../src/errors/errors.ts'
import { NOTICE_WORDS } from '../src/protocol/notice-words.ts'
import { wordsFor } from '../src/protocol/notice.ts'
import type { NoticeCode } from '../src/protocol/notice.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/errors.md'), 'utf8')
const [OPERATORS = '', PEOPLES = ''] = page.split('## What people read')

const rowsOf = (part: string): readonly (readonly string[])[] =>
  [...part.matchAll(/^\| `(SP_\w+)` \| (.+?) \| (.+?) \|$/gm)].map(([, ...cells]) => cells)

test('docs/errors.md and the code name the same errors, with the same words', () => {
  const rows = rowsOf(OPERATORS).map(([code, message, advice]) => [code, { message, advice }])
  expect(Object.fromEntries(rows)).toEqual(ERRORS)
})

test('docs/errors.md and the code have the same words for people', () => {
  const said = (Object.keys(NOTICE_WORDS) as NoticeCode[]).map((code) => [
    code,
    wordsFor('chat', [{ code }], { bare: true }),
    `${wordsFor('terminal', [{ code }], { bare: true })} | ${NOTICE_WORDS[code].recourse}`,
  ])
  expect(rowsOf(PEOPLES)).toEqual(said)
})

test('an error says what happened, to what, and what to do', () => {
  expect(describeError('SP_METHOD', { path: '/healthz', method: 'PUT', allowed: 'GET' })).toBe(
    '/healthz does not support PUT. Use GET.',
  )
})
