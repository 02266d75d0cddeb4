import { describe, expect, test } from 'vitest'
import { createBoundedMap, dropOldest } from './bounded-map.ts'

const keysOf = (map: Iterable<readonly [string, unknown]>): string => [...map].map(([key]) => key).join('')

describe('a bounded map', () => {
  test('drops the oldest, and reports it', () => {
    const dropped: string[] = []
    const map = createBoundedMap<string, number>({ most: 2, dropped: (key, value) => dropped.push(`${key}${value}`) })
    for (const [key, value] of [['a', 1] as const, ['b', 2] as const, ['a', 3] as const, ['c', 4] as const])
      map.set(key, value)
    expect(keysOf(map)).toBe('ac')
    expect(map.get('a')).toBe(3)
    expect(dropped).toEqual(['b2'])
  })

  test('keeps the entries read last only with that option', () => {
    const kept = [false, true].map((byUse) => {
      const map = createBoundedMap<string, number>({ most: 2, byUse })
      map.set('a', 1)
      map.set('b', 2)
      map.get('a')
      map.set('c', 3)
      return keysOf(map)
    })
    expect(kept).toEqual(['bc', 'ac'])
  })

  test('bounds the total weight', () => {
    const map = createBoundedMap<string, string>({ most: 9, weight: { of: (text) => text.length, most: 5 } })
    map.set('a', 'xx')
    map.set('b', 'xx')
    map.set('b', 'xxx')
    expect(keysOf(map)).toBe('ab')
    map.delete('a')
    map.set('c', 'xx')
    expect(keysOf(map)).toBe('bc')
    map.set('d', 'xxx')
    expect(keysOf(map)).toBe('cd')
    map.set('e', 'xxxxxx')
    expect(map.size).toBe(0)
  })

  test('drops an entry after its time, also when the clock is set back', () => {
    let now = 100
    const map = createBoundedMap<string, number>({ most: 9, age: { ms: 10, now: () => now } })
    map.set('a', 1)
    now = 109
    map.set('b', 2)
    expect(map.has('a')).toBe(true)
    now = 110
    expect(keysOf(map)).toBe('b')
    map.set('c', 3)
    expect(map.size).toBe(2)
    now = 50
    expect(map.get('c')).toBeUndefined()
  })

  test('does not drop what is in use', () => {
    const map = createBoundedMap<string, { busy: boolean }>({ most: 1, inUse: (_key, { busy }) => busy })
    const busy = { busy: true }
    map.set('a', busy)
    map.set('b', { busy: false })
    expect(keysOf(map)).toBe('a')
    busy.busy = false
    map.set('c', { busy: true })
    expect(keysOf(map)).toBe('c')
  })

  test('makes a value once, also one that is nothing', () => {
    const map = createBoundedMap<string, undefined>({ most: 1 })
    let made = 0
    const make = (): undefined => {
      made++
    }
    map.getOr('a', make)
    map.getOr('a', make)
    expect(made).toBe(1)
    map.clear()
    map.getOr('a', make)
    expect(made).toBe(2)
  })
})

test('dropOldest trims maps and sets', () => {
  const set = new Set(['a', 'b', 'c', 'd'])
  const dropped: string[] = []
  dropOldest(set, 2, (key) => dropped.push(key))
  expect([[...set], dropped]).toEqual([
    ['c', 'd'],
    ['a', 'b'],
  ])
  dropOldest(set, 2)
  expect(set.size).toBe(2)
})
