import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryReturn } from './memory.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A thread with a given share of working time. */
const thread = () => {
  const made = { collected: 0, utilization: 0 }
  const giveBack = createMemoryReturn({
    restMs: 100,
    collect: () => made.collected++,
    worked: () => ({ idle: 0, active: 0, utilization: made.utilization }),
  })
  return Object.assign(made, { giveBack })
}

test('memory is given back once, after much work and a rest', () => {
  const one = thread()
  one.giveBack(900_000)
  vi.advanceTimersByTime(1_000)
  expect(one.collected).toBe(0)
  one.giveBack(100_000)
  vi.advanceTimersByTime(99)
  expect(one.collected).toBe(0)
  vi.advanceTimersByTime(1_000)
  expect(one.collected).toBe(1)
  one.giveBack(900_000)
  vi.advanceTimersByTime(1_000)
  expect(one.collected).toBe(1)
})

test('a thread that works for others is not stopped, and gives memory back when it is idle', () => {
  const one = thread()
  one.utilization = 0.5
  one.giveBack(1_000_000)
  vi.advanceTimersByTime(10_000)
  expect(one.collected).toBe(0)
  one.utilization = 0.01
  vi.advanceTimersByTime(100)
  expect(one.collected).toBe(1)
})
