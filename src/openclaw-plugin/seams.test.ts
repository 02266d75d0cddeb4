import { expect, test } from 'vitest'
import { createSeams } from './seams.ts'

const made = () => {
  const seams = createSeams(() => '2027.1.1')
  const said: (readonly [string, boolean])[] = []
  seams.tell((sentence, fault) => said.push([sentence, fault]))
  return { seams, said }
}

const stateOf = (seams: ReturnType<typeof createSeams>, name: string): string | undefined =>
  seams.report().find(({ seam }) => seam === name)?.state

test('what is lost is said once, with the host’s version, and closes its protection only', () => {
  const { seams, said } = made()
  seams.pass('output-place')
  seams.lose('output-place')
  seams.lose('output-place')
  seams.stray('output-place', 'something')
  seams.pass('output-place')
  expect(said).toEqual([[expect.stringMatching(/OpenClaw 2027\.1\.1 .* output-place .*doctor openclaw/), true]])
  expect([stateOf(seams, 'output-place'), seams.has('output-place')]).toEqual(['lost', false])
  expect(seams.closed(['tool-guard', 'outbound-block'])).toMatch(/^Sallyport: .*\(output-place\)/)
  expect(seams.closed(['tool-guard'])).toBeUndefined()
  expect(seams.told()).toEqual({ faults: said.map(([sentence]) => sentence), gaps: [] })
})

test('what is strayed from is said once, and closes nothing', () => {
  const { seams, said } = made()
  seams.stray('runtime-context', 'one thing')
  seams.stray('runtime-context', 'another')
  expect(said).toEqual([[expect.stringContaining('one thing'), false]])
  expect([stateOf(seams, 'runtime-context'), seams.has('runtime-context')]).toEqual(['strayed', true])
  expect([seams.closed(['inbound-block']), seams.told().gaps.length]).toEqual([undefined, 1])
  seams.lose('runtime-context')
  expect(stateOf(seams, 'runtime-context')).toBe('lost')
})

test('all are unseen at first', () => {
  const { seams, said } = made()
  expect([...new Set(seams.report().map(({ state }) => state))]).toEqual(['unseen'])
  expect([seams.has('tool-result'), said]).toEqual([false, []])
})
