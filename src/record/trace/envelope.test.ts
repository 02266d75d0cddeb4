import { expect, test } from 'vitest'
import type { Step } from '../../protocol/step.ts'
import { envelopeOf } from './envelope.ts'

const AT = Date.UTC(2026, 10, 21, 12)
const CALL: Step = {
  kind: 'toolCallRequest',
  payload: { tool: { name: 'Bash' }, input: {}, callId: 'call-1' },
  id: 'step-1',
  host: 'aos',
  event: 'steps/toolCallRequest',
  at: AT,
  session: { id: 'session-1', turn: 'turn-1' },
  agent: { id: 'agent-1', role: 'main' },
}
const TRACE = 'a1'.repeat(16)
const SPAN = 'b2'.repeat(8)

/** The recorded envelope. */
const kept = (step: Step) => {
  const { stated, made } = envelopeOf(step)
  return { ...stated, ...made }
}

test('the envelope contains all members of a step', () => {
  const trace = {
    traceId: TRACE,
    parentSpanId: SPAN,
    agentVersion: '3',
    framework: 'Example',
    modelRef: 'model-1',
    tenantId: 'tenant-1',
  }
  expect(kept({ ...CALL, trace })).toEqual({
    traceId: TRACE,
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    parentSpanId: SPAN,
    executionId: 'call-1',
    agentRef: 'agent-1',
    agentVersion: '3',
    framework: 'Example',
    modelRef: 'model-1',
    tenantId: 'tenant-1',
    turnId: 'turn-1',
    stepId: 'step-1',
    timestamp: '2026-11-21T12:00:00.000Z',
  })
})

test('unknown members are omitted or derived from the session', () => {
  const bare: Step = {
    ...CALL,
    kind: 'userMessage',
    payload: { text: 'hello' },
    session: { id: 'session-1' },
    at: Number.NaN,
  }
  expect(kept(bare)).toEqual({
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    agentRef: 'agent-1',
    framework: 'aos',
    stepId: 'step-1',
  })
})

test.each([
  {
    name: 'the payload of a model call',
    step: { kind: 'modelRequest', payload: { model: 'in-payload', input: null } },
  },
  {
    name: 'the start of a session',
    step: { kind: 'sessionStart', payload: { source: 'startup', model: 'in-payload' } },
  },
])('the model is the one in $name', ({ step }) => {
  expect(kept({ ...CALL, ...step, trace: { modelRef: 'stated' } } as Step)['modelRef']).toBe('in-payload')
})
