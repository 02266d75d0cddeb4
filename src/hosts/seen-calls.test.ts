import { describe, expect, test } from 'vitest'
import type { SeenCall } from '../protocol/seen-call.ts'
import { createSeenCalls } from './seen-calls.ts'

const call = (name: string, input: Readonly<Record<string, string>> = {}): SeenCall => ({
  direction: 'outbound',
  call: { tool: { name }, input },
})
const LIMITS = { sessions: 2, calls: 3, inputSize: 200, sessionSize: 500 }

describe('calls that wait for their results', () => {
  test.each<{ readonly name: string; readonly kept: readonly SeenCall[]; readonly found: SeenCall | undefined }>([
    { name: 'one', kept: [call('a')], found: call('a') },
    { name: 'the same twice', kept: [call('a', { x: '1' }), call('a', { x: '1' })], found: call('a', { x: '1' }) },
    { name: 'two tools under one key', kept: [call('a'), call('b')], found: undefined },
    { name: 'two inputs under one key', kept: [call('a', { x: '1' }), call('a', { x: '2' })], found: undefined },
    { name: 'two tools, and the first again', kept: [call('a'), call('b'), call('a')], found: undefined },
    { name: 'one too large', kept: [call('a', { x: 'y'.repeat(200) })], found: undefined },
    { name: 'none', kept: [], found: undefined },
  ])('$name', ({ kept, found }) => {
    const seen = createSeenCalls(LIMITS)
    for (const one of kept) seen.keep('s', 'k', one)
    expect(seen.get('s', 'k')).toEqual(found)
    expect(seen.get('other', 'k')).toBeUndefined()
  })

  test('a key may name another call once it has its result, which may come again before', () => {
    const seen = createSeenCalls(LIMITS)
    seen.keep('s', 'k', call('a'))
    seen.answered('s', 'k')
    expect(seen.get('s', 'k')).toEqual(call('a'))
    seen.keep('s', 'k', call('b'))
    expect(seen.get('s', 'k')).toEqual(call('b'))
    seen.answered('nobody', 'k')
  })

  test('a result under the key of a refused call does not belong to an earlier call', () => {
    const seen = createSeenCalls(LIMITS)
    for (const key of ['k', 'l']) seen.keep('s', key, call('a', { x: 'y'.repeat(150) }))
    seen.answered('s', 'k')
    for (const session of ['s', 'nobody']) seen.refused(session, 'k')
    expect(seen.get('s', 'k')).toBeUndefined()
    // Its space is free again.
    seen.keep('s', 'm', call('a', { x: 'y'.repeat(150) }))
    expect(seen.get('s', 'l')).toBeDefined()
  })

  test('the oldest calls of a session are evicted first', () => {
    const seen = createSeenCalls(LIMITS)
    for (const key of ['1', '2', '3', '4']) seen.keep('s', key, call(key))
    expect(['1', '2', '3', '4'].map((key) => seen.get('s', key) !== undefined)).toEqual([false, true, true, true])
  })

  test('and those that take too much space together', () => {
    const seen = createSeenCalls(LIMITS)
    for (const key of ['1', '2', '3']) seen.keep('s', key, call('a', { x: 'y'.repeat(150) }))
    expect(['1', '2', '3'].map((key) => seen.get('s', key) !== undefined)).toEqual([false, true, true])
  })

  test('the session that was idle longest is evicted first', () => {
    const seen = createSeenCalls(LIMITS)
    for (const session of ['1', '2', '1', '3']) seen.keep(session, 'k', call('a'))
    expect(['1', '2', '3'].map((session) => seen.get(session, 'k') !== undefined)).toEqual([true, false, true])
  })
})
