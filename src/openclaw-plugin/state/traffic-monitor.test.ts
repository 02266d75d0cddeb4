import { describe, expect, test } from 'vitest'
import { createTrafficMonitor } from './traffic-monitor.ts'

describe('arguments that are shown as an answer', () => {
  test.each([
    { name: 'the same text', params: { command: 'ls -l' }, mistaken: true },
    { name: 'deep down', params: { steps: [{ run: 'ls -l' }] }, mistaken: true },
    { name: 'another text', params: { command: 'ls' }, mistaken: false },
    { name: 'no text at all', params: { n: 1, blank: ' ', nothing: null }, mistaken: false },
    { name: 'no parameters', params: null, mistaken: false },
  ])('$name', ({ params, mistaken }) => {
    const traffic = createTrafficMonitor()
    for (const text of ['ls -l', ' ']) traffic.recordText(text, false)
    expect(traffic.mistookArgument(params)).toBe(mistaken)
  })

  test('once one was shown as an argument, nothing is mistaken any more', () => {
    const traffic = createTrafficMonitor()
    traffic.recordText('ls', false)
    traffic.recordText('pwd', true)
    traffic.recordText('ls', false)
    expect(traffic.mistookArgument({ command: 'ls' })).toBe(false)
  })

  test('the oldest are forgotten', () => {
    const traffic = createTrafficMonitor()
    for (let n = 0; n <= 128; n += 1) traffic.recordText(`text ${n}`, false)
    expect([traffic.mistookArgument(['text 0']), traffic.mistookArgument(['text 1'])]).toEqual([false, true])
  })
})

test('a run is silent until some text is shown', () => {
  const traffic = createTrafficMonitor()
  traffic.recordText('before', true)
  traffic.recordRun('r')
  expect([traffic.isRunSilent('r'), traffic.isRunSilent('another')]).toEqual([true, false])
  traffic.recordText('now', true)
  expect(traffic.isRunSilent('r')).toBe(false)
})

test('what was asked about is remembered, and the oldest forgotten', () => {
  const traffic = createTrafficMonitor()
  for (let n = 0; n <= 2_000; n += 1) traffic.recordAsked(`id ${n}`)
  expect(['id 0', 'id 1', 'id 2000'].map((id) => traffic.wasAsked(id))).toEqual([false, true, true])
})
