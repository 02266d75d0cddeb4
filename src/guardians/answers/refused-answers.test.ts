import { expect, test } from 'vitest'
import type { Step, StepOf } from '../../protocol/step.ts'
import type { Verdict } from '../../protocol/verdict.ts'
import { createRefusedAnswers } from './refused-answers.ts'

const base = (session: string) =>
  ({ id: 'x', host: 'h', event: 'e', at: 0, session: { id: session }, agent: { id: 'main', role: 'main' } }) as const

const end = (text: string, session = 's'): Step => ({
  ...base(session),
  kind: 'turnEnd',
  payload: { text, continued: false, outcome: 'completed' },
})
const shown = (text: string, session = 's'): StepOf<'agentMessage'> => ({
  ...base(session),
  kind: 'agentMessage',
  payload: { text, final: true },
})
const prompt: Step = { ...base('s'), kind: 'userMessage', payload: { text: 'go on' } }

const verdict = (over: Partial<Verdict>): Verdict => ({
  decision: 'deny',
  reason: 'It is confidential.',
  reasonCodes: [],
  policies: [],
  findings: [],
  edits: [],
  guardians: [],
  mergeNotes: [],
  unguarded: false,
  ...over,
})

test('what was refused at the end of a turn is not shown again, with the reason', () => {
  const { guardian, decided } = createRefusedAnswers()
  expect(guardian.handles(shown('The merger.'))).toBe(false)
  decided(end('The merger.\n'), verdict({}))
  expect(guardian.handles(shown('The merger.'))).toBe(true)
  expect(guardian.evaluateNow?.(shown('The merger.'), {} as never)).toMatchObject({
    decision: 'deny',
    reason: expect.stringContaining('It is confidential.') as string,
    reasonCodes: ['SP_ANSWER_REPEATED'],
  })
})

test.each<{ name: string; refused: Step; said?: Partial<Verdict>; next?: Step; step: Step }>([
  { name: 'other words', refused: end('A'), step: shown('B') },
  { name: 'another session', refused: end('A'), step: shown('A', 'other') },
  { name: 'a message of a subagent', refused: end('A'), step: { ...shown('A'), agent: { id: 'a', role: 'subagent' } } },
  { name: 'an answer that was allowed', refused: end('A'), said: { decision: 'allow' }, step: shown('A') },
  {
    name: 'an answer that only had to be masked',
    refused: end('A'),
    said: { downgrade: { from: 'modify', to: 'deny', why: '' } },
    step: shown('A'),
  },
  { name: 'no words', refused: end(''), step: shown('') },
  { name: 'after the next prompt', refused: end('A'), next: prompt, step: shown('A') },
  { name: 'an answer refused before another', refused: end('A'), next: end('B'), step: shown('A') },
])('has no part in: $name', ({ refused, said = {}, next, step }) => {
  const { guardian, decided } = createRefusedAnswers()
  decided(refused, verdict(said))
  if (next !== undefined) decided(next, verdict({}))
  expect(guardian.handles(step)).toBe(false)
})

test('keeps some hundred sessions', () => {
  const { guardian, decided } = createRefusedAnswers()
  for (let at = 0; at < 300; at++) decided(end('A', `s${at}`), verdict({}))
  expect([guardian.handles(shown('A', 's0')), guardian.handles(shown('A', 's299'))]).toEqual([false, true])
})
