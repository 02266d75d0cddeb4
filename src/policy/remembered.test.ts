import { expect, test } from 'vitest'
import { createRemembered } from './remembered.ts'

test('an answer is made once and forgotten when it is the one not asked for longest', () => {
  const remembered = createRemembered<number>(2)
  let made = 0
  const ask = (key: string): number => remembered.get(key, () => ++made)
  expect([ask('a'), ask('b'), ask('a'), ask('c'), ask('a'), ask('b')]).toEqual([1, 2, 1, 3, 1, 4])
  expect(remembered.size).toBe(2)
})

test('an answer that is undefined is remembered too', () => {
  const remembered = createRemembered<undefined>(2)
  let made = 0
  const make = (): undefined => {
    made++
    return undefined
  }
  remembered.get('a', make)
  remembered.get('a', make)
  expect(made).toBe(1)
})

test('a very long question is answered and not kept', () => {
  const remembered = createRemembered<number>(2)
  expect(remembered.get('x'.repeat(5_000), () => 7)).toBe(7)
  expect(remembered.size).toBe(0)
})

test('a question that cannot be answered is not remembered', () => {
  const remembered = createRemembered<number>(2)
  expect(() =>
    remembered.get('a', () => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(remembered.get('a', () => 1)).toBe(1)
})
