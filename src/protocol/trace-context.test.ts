import { describe, expect, test } from 'vitest'
import type { Step } from './step.ts'
import { readTraceparent, traced, traceparentOf, tracePlaceOf } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const STEP: Step = {
  kind: 'turnStart',
  payload: {},
  id: 'step-1',
  host: 'aos',
  event: 'any',
  at: 0,
  session: { id: 'session-1' },
  agent: { id: 'main', role: 'main' },
}

describe('a traceparent', () => {
  test.each([
    { name: 'of version 00', header: `00-${TRACE}-${SPAN}-01` },
    { name: 'that is not sampled', header: `00-${TRACE}-${SPAN}-00` },
    { name: 'of a later version with more in it', header: `01-${TRACE}-${SPAN}-01-more` },
  ])('$name is read', ({ header }) => {
    expect(readTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN })
  })

  test.each([
    { name: 'nothing', header: undefined },
    { name: 'a number', header: 7 },
    { name: 'an empty text', header: '' },
    { name: 'version ff', header: `ff-${TRACE}-${SPAN}-01` },
    { name: 'version 00 with more in it', header: `00-${TRACE}-${SPAN}-01-more` },
    { name: 'big letters', header: `00-${TRACE.toUpperCase()}-${SPAN}-01` },
    { name: 'a trace id of zeros', header: `00-${'0'.repeat(32)}-${SPAN}-01` },
    { name: 'a span id of zeros', header: `00-${TRACE}-${'0'.repeat(16)}-01` },
    { name: 'a short trace id', header: `00-${TRACE.slice(1)}-${SPAN}-01` },
    { name: 'no flags', header: `00-${TRACE}-${SPAN}` },
    { name: 'space around it', header: ` 00-${TRACE}-${SPAN}-01` },
    { name: 'a line break after it', header: `00-${TRACE}-${SPAN}-01\n` },
    { name: 'a later version without end', header: `01-${TRACE}-${SPAN}-01-${'x'.repeat(1_000)}` },
  ])('that is $name is passed over', ({ header }) => {
    expect(readTraceparent(header)).toBeUndefined()
  })
})

describe('the place of a step in a trace', () => {
  test('is the same whenever it is asked for', () => {
    expect(tracePlaceOf(STEP)).toEqual(tracePlaceOf(structuredClone(STEP)))
    expect(tracePlaceOf(STEP)).toEqual({
      traceId: expect.stringMatching(/^(?!0+$)[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^(?!0+$)[0-9a-f]{16}$/),
    })
  })

  test.each([
    { name: 'another host', other: { ...STEP, host: 'acs' }, trace: false, span: false },
    { name: 'another session', other: { ...STEP, session: { id: 'session-2' } }, trace: false, span: false },
    { name: 'another step', other: { ...STEP, id: 'step-2' }, trace: true, span: false },
    { name: 'another turn', other: { ...STEP, session: { id: 'session-1', turn: '2' } }, trace: true, span: true },
  ])('$name: the trace is the same $trace, the span is the same $span', ({ other, trace, span }) => {
    const [one, two] = [tracePlaceOf(STEP), tracePlaceOf(other)]
    expect([one.traceId === two.traceId, one.spanId === two.spanId]).toEqual([trace, span])
  })

  test('is the caller’s, under its span', () => {
    const told = traced(STEP, `00-${TRACE}-${SPAN}-01`)
    expect(tracePlaceOf(told)).toMatchObject({ traceId: TRACE, parentSpanId: SPAN })
    expect(traceparentOf(told)).toMatch(new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-01$`))
  })

  test.each([
    { name: 'no header', step: STEP, header: undefined },
    { name: 'an invalid header', step: STEP, header: 'nonsense' },
    {
      name: 'a step that has a place already',
      step: { ...STEP, trace: { traceId: 'a1'.repeat(16) } },
      header: `00-${TRACE}-${SPAN}-01`,
    },
  ])('stays as it is for $name', ({ step, header }) => {
    expect(traced(step, header)).toBe(step)
  })
})
