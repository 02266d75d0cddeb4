import { expect, test } from 'vitest'
import { repeat } from './repeat.ts'

test('work runs again after it has ended, until it is stopped', async () => {
  const waiting: (() => void)[] = []
  const after = (_ms: number, run: () => void) => {
    waiting.push(run)
    return () => {
      waiting.splice(waiting.indexOf(run), 1)
    }
  }
  let finish = (): void => {}
  let runs = 0
  const stop = repeat({ after }, 5, () => {
    runs++
    return new Promise((resolve) => {
      finish = resolve
    })
  })
  waiting.shift()?.()
  expect([runs, waiting.length]).toEqual([1, 0])
  finish()
  await Promise.resolve()
  await Promise.resolve()
  expect(waiting).toHaveLength(1)
  stop()
  expect(waiting).toHaveLength(0)
})

test('work that ends after it was stopped is not run again', async () => {
  const waiting: (() => void)[] = []
  const after = (_ms: number, run: () => void) => {
    waiting.push(run)
    return () => {}
  }
  let finish = (): void => {}
  const stop = repeat({ after }, 5, () => new Promise((resolve) => (finish = resolve)))
  waiting.shift()?.()
  stop()
  finish()
  await Promise.resolve()
  await Promise.resolve()
  expect(waiting).toHaveLength(0)
})
