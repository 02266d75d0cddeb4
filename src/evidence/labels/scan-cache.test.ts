import { describe, expect, test } from 'vitest'
import { createScanCache } from './scan-cache.ts'
import type { LastScan } from './scan-cache.ts'

const scan = (message: string, order: number): LastScan => ({ message, order, findings: [] })

describe('the scan cache', () => {
  test('gives the last scan of a session, and of no other', () => {
    const cache = createScanCache()
    cache.set('a', scan('m1', 1), 0)
    expect(cache.get('a', 0)?.message).toBe('m1')
    expect(cache.get('b', 0)).toBeUndefined()
  })

  test('a late result of an older message does not replace that of a newer', () => {
    const cache = createScanCache()
    expect(cache.set('a', scan('new', 2), 0)).toBe(true)
    expect(cache.set('a', scan('old', 1), 5)).toBe(false)
    expect(cache.get('a', 6)?.message).toBe('new')
  })

  test('an older message counts again once the newer one has run out', () => {
    const cache = createScanCache()
    cache.set('a', scan('new', 2), 0)
    expect(cache.set('a', scan('old', 1), 30_000)).toBe(true)
  })

  test('is over after its time, 30 seconds unless told', () => {
    const cache = createScanCache()
    cache.set('a', scan('m', 1), 0)
    expect(cache.get('a', 29_999)).toBeDefined()
    expect(cache.get('a', 30_000)).toBeUndefined()
  })

  test('is given for a message only if it is of that message', () => {
    const cache = createScanCache()
    cache.set('a', scan('m1', 1), 0)
    expect(cache.getIfMatches('a', 'm1', 0)?.order).toBe(1)
    expect(cache.getIfMatches('a', 'm2', 0)).toBeUndefined()
  })

  test('is cleared by session', () => {
    const cache = createScanCache()
    cache.set('a', scan('m', 1), 0)
    cache.set('b', scan('m', 1), 0)
    cache.clear('a')
    expect([cache.get('a', 0), cache.get('b', 0)?.message]).toEqual([undefined, 'm'])
  })

  test('keeps so many sessions, the ones set last', () => {
    const cache = createScanCache({ sessions: 2 })
    for (const session of ['a', 'b', 'c']) cache.set(session, scan('m', 1), 0)
    expect(['a', 'b', 'c'].map((session) => cache.get(session, 0) !== undefined)).toEqual([false, true, true])
  })
})
