/** Texts on their way to a model, as OpenClaw 2026.9.6 passes them to `String.replace`. */
import { expect, test } from 'vitest'
import { createTestContext, MASKED, WORD } from '../../../test/support/openclaw-protection.ts'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import type { ProtectionContext } from '../state/protection-context.ts'
import { inputText } from './input-text.ts'

const made = async (change: (shared: ProtectionContext) => Partial<ProtectionContext['decisions']> = () => ({})) => {
  const shared = await createTestContext()
  const asked: unknown[] = []
  const decisions = { ...shared.decisions, ...change(shared) }
  const counting: ProtectionContext['decisions'] = {
    ...decisions,
    assess: (call) => {
      asked.push(call.event)
      return decisions.assess(call)
    },
  }
  const time = { now: 0 }
  const [row] = inputText({ ...shared, decisions: counting }, () => time.now).input ?? []
  const pass = (text: string): string => text.replace(row?.from ?? '', row?.to as string)
  return { shared, asked, time, pass }
}

const answering = (decision: 'allow' | 'modify' | 'deny', text?: string): HookAnswer => ({
  reply: text === undefined ? null : { text },
  verdict: { decision, reason: 'so', reasonCodes: ['rule'], findings: [] },
})

test.each([
  { name: 'text to mask is masked', answer: answering('modify', 'Use ***.'), is: 'Use ***.' },
  { name: 'what is allowed stays', answer: answering('allow'), is: 'Use it.' },
  { name: 'text that the gates refuse is left to them', answer: answering('deny', '[no]'), is: 'Use it.' },
])('$name', async ({ answer, is }) => {
  const { pass, shared } = await made(() => ({ assess: () => answer }))
  expect([pass('Use it.'), pass('Use it.'), pass(' ')]).toEqual([is, is, ' '])
  expect(shared.seams.has('input-text')).toBe(true)
})

test('masked text is in the trace, once; other text is not', async () => {
  const { pass, shared } = await made()
  expect([pass(`Use ${WORD.mask}.`), pass(`Use ${WORD.mask}.`), pass('hello')]).toEqual([
    `Use ${MASKED}.`,
    `Use ${MASKED}.`,
    'hello',
  ])
  expect(shared.guard.kept.map(({ step, verdict }) => [step.session.id, step.event, verdict.decision])).toEqual([
    ['openclaw:model-input', 'model_input', 'modify'],
  ])
})

test('a text that cannot be recorded is masked all the same', async () => {
  const { pass, shared } = await made((of) => ({
    askNow: () => of.decisions.without('model_input', {}, new Error('full')),
  }))
  expect([pass(`Use ${WORD.mask}.`), shared.guard.kept]).toEqual([`Use ${MASKED}.`, []])
})

test('a text is evaluated once a minute', async () => {
  const { pass, asked, time } = await made()
  for (const at of [0, 1, 59_999]) {
    time.now = at
    pass('hello')
  }
  expect(asked).toHaveLength(1)
  time.now = 60_001
  pass('hello')
  expect(asked).toHaveLength(2)
})

const undecided = (code: string, decision: 'allow' | 'deny'): HookAnswer => ({
  reply: null,
  verdict: { decision, reason: 'none', reasonCodes: [code], findings: [] },
})

test.each([
  { name: 'withheld', answer: undecided('SP_OPENCLAW_UNDECIDED', 'deny'), is: /^\[withheld by Sallyport/ },
  { name: 'withheld, also when it is too large', answer: undecided('SP_BUDGET_EXHAUSTED', 'deny'), is: /^\[withheld/ },
  { name: 'allowed, when configured so', answer: undecided('SP_UNGUARDED', 'allow'), is: /^hello$/ },
])('without a verdict it is $name', async ({ answer, is }) => {
  const { pass } = await made(() => ({ assess: () => answer }))
  expect(pass('hello')).toMatch(is)
})

test('a text withheld without a verdict is evaluated again the next time', async () => {
  const answers = [undecided('SP_OPENCLAW_UNDECIDED', 'deny'), undecided('allowed', 'allow')]
  const { pass } = await made(() => ({ assess: () => answers.shift() ?? undecided('allowed', 'allow') }))
  expect([pass('hello'), pass('hello')]).toEqual([expect.stringContaining('withheld'), 'hello'])
})
