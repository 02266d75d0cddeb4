import { describe, expect, test } from 'vitest'
import { createBodyBudget } from './body-budget.ts'

/** Whether a promise is resolved by now. */
const isIn = async (entering: Promise<unknown>): Promise<boolean> =>
  Promise.race([entering.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])

describe('the budget of bodies', () => {
  test('small bodies never wait', async () => {
    const room = createBodyBudget(100_000)
    await room.enter(100_000)
    expect(await isIn(room.enter(65_536))).toBe(true)
  })

  test('large ones wait for space, in order', async () => {
    const room = createBodyBudget(300_000)
    const leave = await room.enter(200_000)
    const [second, third] = [room.enter(250_000), room.enter(90_000)]
    expect([await isIn(second), await isIn(third)]).toEqual([false, false])
    leave()
    expect([await isIn(second), await isIn(third)]).toEqual([true, false])
    ;(await second)()
    expect(await isIn(third)).toBe(true)
  })

  test('leaving twice equals leaving once', async () => {
    const room = createBodyBudget(100_000)
    const leave = await room.enter(100_000)
    leave()
    leave()
    await room.enter(100_000)
    expect(await isIn(room.enter(100_000))).toBe(false)
  })

  test('a body larger than the budget waits until it is alone', async () => {
    const room = createBodyBudget(100_000)
    const leave = await room.enter(900_000)
    const next = room.enter(70_000)
    expect(await isIn(next)).toBe(false)
    leave()
    expect(await isIn(next)).toBe(true)
  })
})
