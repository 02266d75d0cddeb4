import { describe, expect, test } from 'vitest'
import { createDigest } from './digest.ts'
import type { Fact } from './facts.ts'
import { createSessionState } from './session-state.ts'
import type { SessionState } from './session-state.ts'

const KEY = new Uint8Array(32)

const stateOf = (facts: readonly Fact[] = []): SessionState => {
  const state = createSessionState({ key: KEY, digest: createDigest(KEY), learnt: () => undefined })
  state.restore(facts)
  return state
}

/** Calls of which no result comes. */
const afterCalls = (count: number, secret = false): SessionState => {
  const state = stateOf()
  for (let call = 0; call < count; call++)
    state.learn({ fact: 'awaits', call: `${call}`, secret: secret && call === 0 })
  return state
}

const waiting = (state: SessionState): number => state.facts().filter(({ fact }) => fact === 'awaits').length

describe('results that never come', () => {
  test('are bounded, in memory and in the store', () => {
    const counts = [600, 5_000].map((count) => waiting(afterCalls(count)))
    expect(counts).toEqual([512, 512])
    expect(waiting(stateOf(afterCalls(5_000).facts()))).toBeLessThanOrEqual(512)
  })

  test('leave the session as strict as it was, whatever arrives later', () => {
    const state = afterCalls(600, true)
    const late = Array.from({ length: 600 }, (_, call) => call)
    for (const call of late) state.learn({ fact: 'arrived', call: `${call}` })
    const restored = stateOf(state.facts())
    for (const one of [state, restored]) {
      expect(one.labels()).toEqual(['untrusted', 'secret'])
      expect(one.nameOrigins.of('host', 'a.example').origin).toBe('forgotten')
      expect(one.nameOrigins.of('mention', 'someone').origin).toBe('forgotten')
    }
  })

  test('are forgiven one by one where none was dropped', () => {
    const state = afterCalls(300)
    expect(state.labels()).toEqual(['untrusted'])
    for (let call = 0; call < 300; call++) state.learn({ fact: 'arrived', call: `${call}` })
    expect(state.labels()).toEqual([])
    expect(state.nameOrigins.of('host', 'a.example').origin).toBe('unknown')
  })
})
