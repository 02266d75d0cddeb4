import { beforeEach, expect, test } from 'vitest'

import type { Clock } from '../../core/clock.ts'
import { createMachineClock } from './machine-clock.ts'

const T0 = 1_700_000_000_000
const HOUR = 3_600_000

let [wall, monotonic] = [T0, 5]
let clock: Clock
beforeEach(() => {
  ;[wall, monotonic] = [T0, 5]
  clock = createMachineClock({}, { wall: () => wall, monotonic: () => monotonic })
})

test('begins at wall time and moves on with the monotonic clock, fractions and all', () => {
  expect(clock.now()).toBe(T0)
  monotonic += 1.25
  expect(clock.now()).toBe(T0 + 1.25)
})

test.each([
  { name: 'while the machine slept, and its monotonic clock stopped', slept: 8 * HOUR, ran: 0 },
  { name: 'when wall time was set forward', slept: HOUR, ran: 10 },
])('catches up $name', ({ slept, ran }) => {
  wall += slept + ran
  monotonic += ran
  expect(clock.now()).toBe(wall)
  monotonic += 2
  expect(clock.now()).toBe(wall + 2)
})

test.each([
  { name: 'set back', by: -HOUR },
  { name: 'set right a little', by: 400 },
])('does not follow wall time that is $name', ({ by }) => {
  wall += by
  monotonic += 10
  expect(clock.now()).toBe(T0 + 10)
})

test('the machine’s own clocks agree with wall time', () => {
  const before = Date.now()
  expect(createMachineClock().now()).toBeGreaterThanOrEqual(before - 1)
})
