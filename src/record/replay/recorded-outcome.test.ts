import { describe, expect, test } from 'vitest'
import type { ApprovalRef, Decision, GuardianRecord } from '../../protocol/verdict.ts'
import type { RecordedVerdict } from './recorded-decision.ts'
import { hasReason, outcomeThen } from './recorded-outcome.ts'

const said = (...outcomes: readonly Decision[]): readonly GuardianRecord[] =>
  outcomes.map((outcome) => ({
    guardian: 'policy',
    version: '1',
    stage: 'decision',
    outcome,
    tookMs: 0,
    reasonCodes: [],
  }))

const verdict = (over: Partial<RecordedVerdict>): RecordedVerdict => ({
  decision: 'deny',
  reason: 'why',
  reasonCodes: ['r'],
  policies: [],
  guardians: [],
  unguarded: false,
  edited: [],
  ...over,
})

const approval = (state: ApprovalRef['state']): ApprovalRef => ({ id: 'a', state })

describe('the decision of the rules on a call with a person’s part', () => {
  test.each<{ name: string; was: RecordedVerdict; decision: Decision }>([
    { name: 'waits', was: verdict({ approval: approval('pending') }), decision: 'ask' },
    { name: 'refused', was: verdict({ approval: approval('denied') }), decision: 'ask' },
    {
      name: 'granted and used',
      was: verdict({ decision: 'allow', approval: approval('used'), guardians: said('ask', 'allow') }),
      decision: 'ask',
    },
    {
      name: 'an override, used',
      was: verdict({ decision: 'allow', approval: approval('used'), guardians: said('deny', 'allow') }),
      decision: 'deny',
    },
    {
      name: 'granted, with arguments that were denied',
      was: verdict({ approval: approval('granted'), guardians: said('ask', 'deny') }),
      decision: 'ask',
    },
    {
      name: 'an override, of no avail',
      was: verdict({ approval: approval('granted'), guardians: said('deny', 'deny') }),
      decision: 'deny',
    },
    { name: 'not asked about', was: verdict({ reasonCodes: ['r', 'SP_APPROVAL_FULL'] }), decision: 'ask' },
    { name: 'not to be stored', was: verdict({ reasonCodes: ['r', 'SP_APPROVAL_STORE'] }), decision: 'ask' },
  ])('$name', ({ was, decision }) => {
    expect(outcomeThen(was).decision).toBe(decision)
    expect(hasReason(was)).toBe(false)
  })

  test('is the recorded decision without a person’s part', () => {
    expect(outcomeThen(verdict({})).decision).toBe('deny')
    expect(hasReason(verdict({}))).toBe(true)
  })
})
