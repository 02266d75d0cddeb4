import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Decision } from '../../protocol/verdict.ts'
import type { ChangedStep } from './preview.ts'
import { groupChanges, rulesBehind } from './preview.ts'
import type { RecordedOutcome } from './recorded-outcome.ts'

const said = (decision: Decision, ...rules: readonly string[]): RecordedOutcome => ({ decision, rules, reason: '' })

const changed = (was: RecordedOutcome, now: RecordedOutcome, seq = 1): ChangedStep => ({
  outcome: 'changes',
  event: { session: 's', type: 'HookDecision', at: 0, body: {}, seq, prevHash: '', hash: '' },
  was,
  now,
})

describe('rulesBehind', () => {
  test.each([
    { name: 'the ones that come', was: said('ask', 'a'), now: said('deny', 'b', 'c'), rules: ['b', 'c'] },
    { name: 'the ones that go', was: said('deny', 'a', 'b'), now: said('ask', 'b'), rules: ['a'] },
    { name: 'the ones that decide another way', was: said('deny', 'a'), now: said('ask', 'a'), rules: ['a'] },
    { name: 'none', was: said('allow'), now: said('deny'), rules: [] },
  ])('$name', ({ was, now, rules }) => {
    expect(rulesBehind({ was, now })).toEqual(rules)
  })
})

describe('groupChanges', () => {
  test('the largest first, a step under each of its rules, or under none without a rule', () => {
    const steps = [
      changed(said('allow'), said('deny', 'a', 'b'), 1),
      changed(said('allow'), said('deny', 'b'), 2),
      changed(said('allow'), said('ask', 'b'), 3),
      changed(said('allow'), said('deny'), 4),
    ]
    expect(
      groupChanges(steps).map(({ rule, was, now, steps: those }) => [
        rule,
        `${was} ${now}`,
        those.map(({ event }) => event.seq),
      ]),
    ).toEqual([
      ['b', 'allow deny', [1, 2]],
      ['a', 'allow deny', [1]],
      ['b', 'allow ask', [3]],
      [undefined, 'allow deny', [4]],
    ])
  })

  test('no step is lost, and none is counted twice under one rule', () => {
    const decisions = fc.constantFrom<Decision>('allow', 'modify', 'ask', 'defer', 'deny')
    const saids = fc
      .tuple(decisions, fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')))
      .map(([decision, rules]) => said(decision, ...rules.toSorted()))
    fc.assert(
      fc.property(fc.array(fc.tuple(saids, saids)), (pairs) => {
        const steps = pairs.map(([was, now], seq) => changed(was, now, seq))
        const groups = groupChanges(steps)
        expect(new Set(groups.flatMap((group) => group.steps)).size).toBe(steps.length)
        for (const group of groups) expect(new Set(group.steps).size).toBe(group.steps.length)
      }),
    )
  })
})
