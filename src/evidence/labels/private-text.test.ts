import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileText } from '../../../test/support/hostile-text.ts'
import { createPrivateReads } from './private-reads.ts'
import { createPrivateText } from './private-text.ts'

const README =
  'Acme ledger keeps the books of all our customers in one place. The nightly job copies new entries to the warehouse and mails a summary to the finance team.'
const PAGE =
  'To configure retries, pass a policy to the client. The policy says how often a request is tried again, and how long the client waits between two attempts.'

test.each([
  ['a stretch of what was read', README.slice(10, 140), true],
  ['the same in other letters and signs', README.slice(10, 140).toUpperCase().replaceAll(' ', '_ '), true],
  ['with words around it', `note so far: ${README} end`, true],
  ['a few words of it', 'Acme ledger keeps the books of all our customers', false],
  ['another text', PAGE, false],
  ['a little of it in much of another', `${PAGE} ${PAGE.replaceAll('a', 'o')} ${README.slice(0, 60)}`, false],
])('%s', (_, text, held) => {
  const read = createPrivateText(7)
  read.take(README)
  expect(read.holds(text)).toBe(held)
})

test('what was read long ago goes, and what came after it stays', () => {
  const read = createPrivateText(7)
  read.take(README)
  for (let at = 0; at < 40; at++) read.take(Array.from({ length: 4_000 }, (__, word) => `w${at}x${word}`).join(' '))
  const last = Array.from({ length: 40 }, (__, word) => `w39x${3_900 + word}`).join(' ')
  expect([read.holds(README), read.holds(last)]).toEqual([false, true])
})

test('sessions know their own, and the one that read nothing for the longest time goes', () => {
  const reads = createPrivateReads(new Uint8Array([1, 2, 3]))
  reads.take('first', { a: [README] })
  expect(reads.of('first')?.holds(README)).toBe(true)
  for (let at = 0; at < 64; at++) reads.take(`s${at}`, PAGE)
  expect([reads.of('first'), reads.of('s0')?.holds(README), reads.of('s63')?.holds(PAGE)]).toEqual([
    undefined,
    false,
    true,
  ])
})

test('takes any text, and holds what it took when that is long enough', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const read = createPrivateText(11)
      read.take(text)
      expect(typeof read.holds(text)).toBe('boolean')
      read.take(README)
      expect(read.holds(README)).toBe(true)
    }),
    { numRuns: 300 },
  )
})
