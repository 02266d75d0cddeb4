import { expect, test } from 'vitest'
import { processShared, releaseShared, replaceShared, currentShared } from './process-shared.ts'

test('the first caller makes it, all others get the same', () => {
  const key = 'test: first'
  const made = processShared(key, () => ({ by: 1 }))
  expect(processShared(key, () => ({ by: 2 }))).toBe(made)
})

test('another key is another', () => {
  const [one, other] = ['test: one', 'test: other']
  expect([processShared(one, () => 1), processShared(other, () => 2)]).toEqual([1, 2])
})

test('it is shared by instances of the module, as the host evaluates it several times', async () => {
  const key = 'test: instances'
  const instance = new URL('process-shared.ts?again', import.meta.url).href
  const again = (await import(/* @vite-ignore */ instance)) as { readonly processShared: typeof processShared }
  expect(again.processShared).not.toBe(processShared)
  const made = processShared(key, () => ({}))
  expect(again.processShared(key, () => ({}))).toBe(made)
})

test('one that could not be made is made by the next caller', () => {
  const key = 'test: failed'
  const broken = (): never => {
    throw new Error('no')
  }
  expect(() => processShared(key, broken)).toThrow('no')
  expect(processShared(key, () => 1)).toBe(1)
})

test('a released one is made anew by the next caller, and its replacement stays', () => {
  const key = 'test: released'
  const made = processShared(key, () => ({}))
  releaseShared(key, made)
  expect(currentShared(key)).toBeUndefined()
  const second = processShared(key, () => ({ n: 2 }))
  expect(second).not.toBe(made)
  const third = replaceShared(key, { n: 3 })
  releaseShared(key, second)
  expect(currentShared(key)).toBe(third)
})
