import { describe, expect, test } from 'vitest'
import { answered } from '../../../test/support/openclaw-protection.ts'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import { createLedger, isDecided } from './decision-cache.ts'
import type { Side, Subject } from './decision-cache.ts'

const subject = (text: string, session = 's', side: Side = 'inbound'): Subject => ({ side, session, text })

/** A ledger with a clock, and asks that are counted. */
const opened = () => {
  const time = { now: 0 }
  const ledger = createLedger({ now: () => time.now })
  const asks: string[] = []
  const asking =
    (name: string, answer: HookAnswer = answered('allow')) =>
    async () => {
      asks.push(name)
      return answer
    }
  return { ledger, time, asks, asking }
}

describe('what is asked once', () => {
  test('seams that come one after the other have the same answer', async () => {
    const { ledger, asks, asking } = opened()
    const first = await ledger.once(subject('hi'), 'message_received', asking('1'))
    const second = await ledger.once(subject('hi'), 'before_dispatch', asking('2'))
    expect([second === first, asks]).toEqual([true, ['1']])
  })

  test('whoever comes while it is being asked waits for the same answer', async () => {
    const { ledger, asks, asking } = opened()
    const late = Promise.withResolvers<HookAnswer>()
    const first = ledger.once(subject('hi'), 'message_received', () => late.promise)
    const second = ledger.once(subject('hi'), 'before_dispatch', asking('2'))
    late.resolve(answered('deny'))
    expect([await first, await second, asks]).toEqual([answered('deny'), answered('deny'), []])
  })

  test.each([
    { name: 'another text', other: subject('hello') },
    { name: 'another session', other: subject('hi', 'other') },
    { name: 'another side', other: subject('hi', 's', 'outbound') },
    { name: 'a session that a text runs into', other: subject('i', 'sh') },
  ])('$name is asked by itself', async ({ other }) => {
    const { ledger, asks, asking } = opened()
    await ledger.once(subject('hi'), 'a', asking('1'))
    await ledger.once(other, 'b', asking('2'))
    expect([asks, ledger.known(subject('hi')) !== undefined]).toEqual([['1', '2'], true])
  })

  test('a seam that sees the same words a second time has a new message before it', async () => {
    const { ledger, asks, asking } = opened()
    await ledger.once(subject('yes'), 'message_received', asking('first', answered('allow')))
    await ledger.once(subject('yes'), 'before_dispatch', asking('never'))
    const again = await ledger.once(subject('yes'), 'message_received', asking('second', answered('deny')))
    const after = await ledger.once(subject('yes'), 'before_dispatch', asking('never'))
    expect([again.verdict.decision, after.verdict.decision, asks]).toEqual(['deny', 'deny', ['first', 'second']])
  })

  test('also one that had its answer from another seam', async () => {
    const { ledger, asks, asking } = opened()
    await ledger.once(subject('yes'), 'a', asking('1'))
    for (const name of ['never', '2']) await ledger.once(subject('yes'), 'b', asking(name))
    expect(asks).toEqual(['1', '2'])
  })

  test('a second message with the same words does not take the answer of one that is still being asked', async () => {
    const { ledger, asks, asking } = opened()
    const late = Promise.withResolvers<HookAnswer>()
    const first = ledger.once(subject('yes'), 'message_received', () => late.promise)
    await ledger.once(subject('yes'), 'message_received', asking('second'))
    late.resolve(answered('allow'))
    await first
    expect(asks).toEqual(['second'])
  })

  test('what was told, and not asked for, holds for every seam as often as it comes', async () => {
    const { ledger, asks, asking } = opened()
    ledger.settle(subject('notice'), answered('allow'))
    for (const seam of ['a', 'b', 'a']) await ledger.once(subject('notice'), seam, asking(seam))
    expect(asks).toEqual([])
  })

  test('one that rejects is not remembered', async () => {
    const { ledger, asks, asking } = opened()
    await expect(ledger.once(subject('hi'), 'a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await ledger.once(subject('hi'), 'b', asking('2'))
    expect(asks).toEqual(['2'])
  })
})

/** Codes that an answer may carry, and whether it holds. */
const CODES = [
  { name: 'a rule', codes: ['fs-destroy'], holds: true },
  { name: 'nothing', codes: [], holds: true },
  { name: 'what a person has refused', codes: ['SP_APPROVAL_DENIED'], holds: true },
  { name: 'a step too large', codes: ['SP_BUDGET_EXHAUSTED'], holds: true },
  { name: 'no verdict', codes: ['SP_OPENCLAW_UNDECIDED'], holds: false },
  { name: 'a pass without one', codes: ['SP_UNGUARDED'], holds: false },
  { name: 'a guard that failed', codes: ['SP_GUARD_FAILED'], holds: false },
  { name: 'a guardian that was late', codes: ['word', 'SP_GUARDIAN_TIMEOUT'], holds: false },
  { name: 'a guardian that was not there', codes: ['SP_GUARDIAN_UNREACHABLE'], holds: false },
  { name: 'a guardian that answered garbage', codes: ['SP_GUARDIAN_INVALID'], holds: false },
  { name: 'what a person has yet to answer', codes: ['SP_APPROVAL_PENDING'], holds: false },
]

describe.each(CODES)('an answer because of $name', ({ codes, holds }) => {
  const answer = answered('deny', { codes })

  test(holds ? 'holds' : 'is asked again', async () => {
    const { ledger, asks, asking } = opened()
    await ledger.once(subject('hi'), 'a', asking('1', answer))
    await ledger.once(subject('hi'), 'b', asking('2', answer))
    expect([isDecided(answer), asks]).toEqual([holds, holds ? ['1'] : ['1', '2']])
  })

  test(holds ? 'can be told' : 'cannot be told', () => {
    const { ledger } = opened()
    ledger.settle(subject('hi'), answer)
    expect(ledger.known(subject('hi'))).toEqual(holds ? answer : undefined)
  })
})

test('an answer for want of a verdict takes an older one away', async () => {
  const { ledger, asking } = opened()
  await ledger.once(subject('hi'), 'a', asking('1'))
  await ledger.once(subject('hi'), 'a', asking('2', answered('deny', { codes: ['SP_OPENCLAW_UNDECIDED'] })))
  expect(ledger.known(subject('hi'))).toBeUndefined()
})

describe('what is forgotten', () => {
  test.each([
    { name: 'within ten minutes it is known', after: 599_999, known: true },
    { name: 'after them it is not', after: 600_000, known: false },
  ])('$name', ({ after, known }) => {
    const { ledger, time } = opened()
    ledger.settle(subject('hi'), answered('allow'))
    ledger.admit('run')
    time.now = after
    expect([ledger.known(subject('hi')) !== undefined, ledger.admitted('run')]).toEqual([known, known])
  })

  test('of too many, the oldest go; what was told anew is new', () => {
    const { ledger } = opened()
    for (let n = 0; n < 2_000; n++) ledger.settle(subject(`text ${n}`), answered('allow'))
    ledger.settle(subject('text 0'), answered('allow'))
    ledger.settle(subject('one more'), answered('allow'))
    expect(['text 0', 'text 1', 'text 2', 'one more'].map((text) => ledger.known(subject(text)) !== undefined)).toEqual(
      [true, false, true, true],
    )
  })

  test('runs as well', () => {
    const { ledger } = opened()
    for (let n = 0; n <= 2_000; n++) ledger.admit(`run ${n}`)
    expect([ledger.admitted('run 0'), ledger.admitted('run 1'), ledger.admitted('never')]).toEqual([false, true, false])
  })
})
