import { expect, test } from 'vitest'
import { createSeams } from './seams.ts'

const made = () => {
  const seams = createSeams(() => '2027.1.1')
  const said: (readonly [string, boolean])[] = []
  seams.subscribe((sentence, fault) => said.push([sentence, fault]))
  return { seams, said }
}

const stateOf = (seams: ReturnType<typeof createSeams>, name: string): string | undefined =>
  seams.report().find(({ seam }) => seam === name)?.state

test('a lost seam is reported once, with the host’s version, and closes its protection only', () => {
  const { seams, said } = made()
  seams.pass('output-place')
  seams.lose('output-place')
  seams.lose('output-place')
  seams.stray('output-place', 'something')
  seams.pass('output-place')
  expect(said).toEqual([[expect.stringMatching(/OpenClaw 2027\.1\.1 .* output-place .*doctor openclaw/), true]])
  expect([stateOf(seams, 'output-place'), seams.has('output-place')]).toEqual(['lost', false])
  expect(seams.closed(['tool-guard', 'outbound-block'])).toMatch(
    /^Sallyport: .* has stopped\. Tell the operator of this assistant, and give them the reference SP_OPENCLAW_CLOSED\.$/,
  )
  expect(seams.closed(['tool-guard'])).toBeUndefined()
  expect(seams.summary()).toEqual({ faults: said.map(([sentence]) => sentence), gaps: [] })
})

test('a deviation is reported once, and closes nothing', () => {
  const { seams, said } = made()
  seams.stray('runtime-context', 'one thing')
  seams.stray('runtime-context', 'another')
  expect(said).toEqual([[expect.stringContaining('one thing'), false]])
  expect([stateOf(seams, 'runtime-context'), seams.has('runtime-context')]).toEqual(['strayed', true])
  expect([seams.closed(['inbound-block']), seams.summary().gaps.length]).toEqual([undefined, 1])
  seams.lose('runtime-context')
  expect(stateOf(seams, 'runtime-context')).toBe('lost')
})

test('what one session has missed closes that session; a second one that misses it closes all', () => {
  const { seams, said } = made()
  seams.lose('before_tool_call', 'a')
  seams.lose('before_tool_call', 'a')
  expect([seams.closed(['tool-guard'], 'a'), seams.closed(['tool-guard'], 'b')]).toEqual([
    expect.stringContaining('SP_OPENCLAW_CLOSED'),
    undefined,
  ])
  expect([said.map(([, fault]) => fault), seams.summary().faults, seams.summary().gaps.length]).toEqual([
    [false],
    [],
    1,
  ])
  seams.lose('before_tool_call', 'b')
  expect(seams.closed(['tool-guard'], 'c')).toContain('SP_OPENCLAW_CLOSED')
  expect([said.map(([, fault]) => fault), seams.summary().faults.length, seams.summary().gaps]).toEqual([
    [false, true],
    1,
    [],
  ])
})

test.each([{ missed: ['a'] }, { missed: ['a', 'b'] }])(
  'what $missed missed is back when something passes',
  ({ missed }) => {
    const { seams } = made()
    for (const session of missed) seams.lose('before_tool_call', session)
    seams.pass('before_tool_call')
    expect([stateOf(seams, 'before_tool_call'), seams.closed(['tool-guard'], 'a')]).toEqual(['passed', undefined])
    expect(seams.summary()).toEqual({ faults: [], gaps: [] })
  },
)

test('all are unseen at first', () => {
  const { seams, said } = made()
  expect([...new Set(seams.report().map(({ state }) => state))]).toEqual(['unseen'])
  expect([seams.has('tool-result'), said]).toEqual([false, []])
})
