import { expect, onTestFinished, test } from 'vitest'
import { processShared, releaseShared } from './process-shared.ts'

const keyFor = (name: string): string => {
  onTestFinished(() => {
    releaseShared(name)
  })
  return name
}

test('whoever comes first makes it, all others have the same', () => {
  const key = keyFor('test: first')
  const made = processShared(key, () => ({ by: 1 }))
  expect(processShared(key, () => ({ by: 2 }))).toBe(made)
})

test('another key is another', () => {
  const [one, other] = [keyFor('test: one'), keyFor('test: other')]
  expect([processShared(one, () => 1), processShared(other, () => 2)]).toEqual([1, 2])
})

test('it is shared by instances of the module, as the host evaluates it several times', async () => {
  const key = keyFor('test: instances')
  const instance = new URL('process-shared.ts?again', import.meta.url).href
  const again = (await import(/* @vite-ignore */ instance)) as { readonly processShared: typeof processShared }
  expect(again.processShared).not.toBe(processShared)
  const made = processShared(key, () => ({}))
  expect(again.processShared(key, () => ({}))).toBe(made)
})

test('what is given up is given back once, and made anew after that', () => {
  const key = keyFor('test: released')
  const made = processShared(key, () => ({}))
  expect([releaseShared(key) === made, releaseShared(key)]).toEqual([true, undefined])
  expect(processShared(key, () => ({}))).not.toBe(made)
})

test('one that could not be made is made by the next', () => {
  const key = keyFor('test: failed')
  const broken = (): never => {
    throw new Error('no')
  }
  expect(() => processShared(key, broken)).toThrow('no')
  expect(processShared(key, () => 1)).toBe(1)
})
