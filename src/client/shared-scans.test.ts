import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import type { Deadline } from './retry-policy.ts'
import { createSharedScans } from './shared-scans.ts'

const NOBODY = new AbortController().signal

const patient = (until: number, signal: AbortSignal = NOBODY): Deadline => ({ until: () => until, signal })

const create = (more: { keepMs?: number; entries?: number } = {}) => {
  const clock = createFakeClock()
  const scans = createSharedScans<string>({
    keepMs: 1_000,
    entries: 2,
    ...more,
    now: () => clock.now(),
    isKept: (result) => result !== 'failed',
  })
  let made = 0
  const make = (result: string) => async () => {
    made++
    return result
  }
  const ask = (key: string, result = `of ${key}`) => scans.ask(key, make(result), patient(0), 'gave up')
  return { clock, scans, ask, made: () => made }
}

describe('what was scanned a short while ago', () => {
  test('is remembered until its time is up', async () => {
    const { ask, clock, made, scans } = create()
    expect(await ask('a')).toEqual({ result: 'of a', source: 'asked' })
    clock.advance(999)
    expect(await ask('a')).toEqual({ result: 'of a', source: 'remembered' })
    expect(scans.recall('a')).toBe('of a')
    clock.advance(1)
    expect(scans.recall('a')).toBeUndefined()
    expect((await ask('a')).source).toBe('asked')
    expect(made()).toBe(2)
  })

  test('is forgotten when the clock was set back', async () => {
    let time = 1_000
    const set = createSharedScans<string>({ keepMs: 100, entries: 1, now: () => time, isKept: () => true })
    await set.ask('a', async () => 'good', patient(0), 'gave up')
    time = 500
    expect(set.recall('a')).toBeUndefined()
  })

  test('is displaced by newer ones', async () => {
    const { ask, scans } = create()
    for (const key of ['a', 'b', 'c']) await ask(key)
    expect(['a', 'b', 'c'].map((key) => scans.recall(key))).toEqual([undefined, 'of b', 'of c'])
  })

  test.each([
    { name: 'that failed', result: 'failed', keepMs: 1_000 },
    { name: 'without a cache', result: 'good', keepMs: 0 },
  ])('is forgotten: one $name', async ({ result, keepMs }) => {
    const { ask, scans } = create({ keepMs })
    await ask('a', result)
    expect(scans.recall('a')).toBeUndefined()
  })
})

describe('equal scans at a time', () => {
  test('a thousand are one', async () => {
    const { ask, made } = create()
    const all = await Promise.all(Array.from({ length: 1_000 }, () => ask('a')))
    expect(made()).toBe(1)
    expect(all.filter(({ source }) => source === 'joined')).toHaveLength(999)
    expect(new Set(all.map(({ result }) => result))).toEqual(new Set(['of a']))
  })

  test('have the time of the most patient, and go on until the last has given up', async () => {
    const { scans } = create()
    const seen: Deadline[] = []
    const make = (deadline: Deadline): Promise<string> => {
      seen.push(deadline)
      return new Promise(() => {})
    }
    const aborts = [new AbortController(), new AbortController()] as const
    const both = [
      scans.ask('a', make, patient(300, aborts[0].signal), 'gave up'),
      scans.ask('a', make, patient(100, aborts[1].signal), 'gave up'),
    ]
    await Promise.resolve()
    const [run] = seen
    expect(run?.until()).toBe(300)
    aborts[0].abort()
    expect((await both[0])?.result).toBe('gave up')
    expect(run?.signal.aborted).toBe(false)
    aborts[1].abort()
    expect((await both[1])?.result).toBe('gave up')
    expect(run?.signal.aborted).toBe(true)
    expect(await scans.ask('a', async () => 'anew', patient(0), 'gave up')).toEqual({ result: 'anew', source: 'asked' })
    expect(seen).toHaveLength(1)
  })
})
