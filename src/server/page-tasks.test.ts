import { expect, test } from 'vitest'
import { createPageTasks } from './page-tasks.ts'

const MINUTE = 60_000

test('a code opens a page once, before its deadline, and returns one result', () => {
  let now = 0
  const desk = createPageTasks(() => now)
  const want = { kind: 'create', name: 'phone', challenge: 'x' } as const
  const code = desk.open(want)
  expect(desk.result(code)).toEqual({ state: 'waiting' })
  const entered = desk.enter(code)
  expect(entered?.want).toEqual(want)
  expect(desk.enter(code)).toBeUndefined()
  expect(desk.enter('other')).toBeUndefined()
  const cookie = entered?.cookie ?? ''
  expect([desk.isOpen(cookie), desk.isOpen(code), desk.isOpen('')]).toEqual([true, false, false])
  expect(desk.give('other', 1)).toBe(false)
  expect(desk.give(cookie, { a: 1 })).toBe(true)
  expect(desk.give(cookie, { a: 2 })).toBe(false)
  expect(desk.result(code)).toEqual({ state: 'done', result: { a: 1 } })
  now = 11 * MINUTE
  expect(desk.result(code)).toEqual({ state: 'unknown' })
  expect(desk.isOpen(cookie)).toBe(true)
  now = 9 * 60 * MINUTE
  expect(desk.isOpen(cookie)).toBe(false)
})

test('an expired code opens nothing, and a list takes no result', () => {
  let now = 0
  const desk = createPageTasks(() => now)
  const [late, list] = [desk.open({ kind: 'list' }), desk.open({ kind: 'list' })]
  const cookie = desk.enter(list)?.cookie ?? ''
  expect(desk.give(cookie, 1)).toBe(false)
  now = 10 * MINUTE
  expect(desk.enter(late)).toBeUndefined()
})

test('a thousand codes leave the newest open, within the limit', () => {
  const desk = createPageTasks(() => 0)
  const codes = Array.from({ length: 1_000 }, () => desk.open({ kind: 'list' }))
  expect(codes.filter((code) => desk.result(code).state === 'waiting')).toHaveLength(100)
  expect(desk.enter(codes.at(-1) ?? '')).toBeDefined()
})
