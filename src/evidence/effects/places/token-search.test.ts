import { expect, test } from 'vitest'
import { mayShowToken } from './token-search.ts'

test.each([
  ['TODO(1)', false],
  ['TODO\\|.', true],
  ['TODO|[0-9a-f]{64}', true],
  ['a?', true],
  ['zz*', true],
  ['zz\\?', true],
  ['zzz', false],
  ['q7zk', true],
  ['.', true],
  ['[', true],
])('%s', (pattern, expected) => {
  expect(mayShowToken([pattern])).toBe(expected)
})
