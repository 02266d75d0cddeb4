/** Texts that an expression could try in ever so many ways: each of these ended no test before. */
import { expect, test } from 'vitest'
import { createSecretsDetector } from '../../detectors/secrets/secrets-detector.ts'
import { oneBlank } from './blanks.ts'
import { codeKeysIn } from '../places/git-keys.ts'
import { codesOf, leadsOf } from '../places/settings-code.ts'

const LONG = 60_000

test.each([
  { text: 'a  b', is: 'a b' },
  { text: 'a \n  b', is: 'a\nb' },
  { text: 'a\tb', is: 'a\tb' },
  { text: '', is: '' },
])('blanks in a row are one: $text', ({ text, is }) => {
  expect(oneBlank(text)).toBe(is)
})

test.each([
  { name: 'blanks', line: `${' '.repeat(390)}é` },
  { name: 'columns and a letter too many', line: `${'   a'.repeat(90)}é` },
])('an invalid dump, of $name', ({ line }) => {
  expect(createSecretsDetector().detect(Array.from({ length: 50 }, () => line).join('\n'), 'tool')).toEqual([])
})

test('a program of git with many options', () => {
  const pager = `[core]\npager = cat${' --a'.repeat(64)} ;`
  expect(codeKeysIn('/home/user/app/.git/config', pager)).toEqual(['core.pager'])
})

test.each(['\n'.repeat(LONG), `a:${' '.repeat(LONG)}`, `https_proxy${' '.repeat(LONG)}`, `"${'\\"'.repeat(LONG)}`])(
  'long settings without content',
  (text) => {
    expect(codesOf('agent', text)).toEqual([])
    codesOf('settings', text)
    expect(leadsOf('/home/user/.gitconfig', text)).toMatchObject({ packages: [], programs: [] })
  },
)
