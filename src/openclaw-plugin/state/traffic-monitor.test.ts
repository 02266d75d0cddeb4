import { describe, expect, test } from 'vitest'
import { createSight } from './traffic-monitor.ts'

describe('arguments that are shown as something said', () => {
  test.each([
    { name: 'the same text', params: { command: 'ls -l' }, mistaken: true },
    { name: 'deep down', params: { steps: [{ run: 'ls -l' }] }, mistaken: true },
    { name: 'another text', params: { command: 'ls' }, mistaken: false },
    { name: 'no text at all', params: { n: 1, blank: ' ', nothing: null }, mistaken: false },
    { name: 'no parameters', params: null, mistaken: false },
  ])('$name', ({ params, mistaken }) => {
    const sight = createSight()
    for (const text of ['ls -l', ' ']) sight.heard(text, false)
    expect(sight.mistaken(params)).toBe(mistaken)
  })

  test('once one was shown as an argument, nothing is mistaken any more', () => {
    const sight = createSight()
    sight.heard('ls', false)
    sight.heard('pwd', true)
    sight.heard('ls', false)
    expect(sight.mistaken({ command: 'ls' })).toBe(false)
  })

  test('the oldest are forgotten', () => {
    const sight = createSight()
    for (let n = 0; n <= 128; n += 1) sight.heard(`text ${n}`, false)
    expect([sight.mistaken(['text 0']), sight.mistaken(['text 1'])]).toEqual([false, true])
  })
})

test('a run is silent until some text is shown', () => {
  const sight = createSight()
  sight.heard('before', true)
  sight.began('r')
  expect([sight.silent('r'), sight.silent('another')]).toEqual([true, false])
  sight.heard('now', true)
  expect(sight.silent('r')).toBe(false)
})

test('what was asked about is remembered, and the oldest forgotten', () => {
  const sight = createSight()
  for (let n = 0; n <= 2_000; n += 1) sight.asked(`id ${n}`)
  expect(['id 0', 'id 1', 'id 2000'].map((id) => sight.wasAsked(id))).toEqual([false, true, true])
})
