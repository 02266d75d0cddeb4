import { expect, test } from 'vitest'
import { existingPart } from './existing-part.ts'

/** A machine on which one path exists, with all folders above it; it counts how often it is asked. */
const machineWith = (existing: string) => {
  const asked: string[] = []
  const look = (path: string): string | undefined => {
    asked.push(path)
    return existing === path || path === '/' || existing.startsWith(`${path}/`) ? `at ${path}` : undefined
  }
  return { asked, look }
}

test.each(Array.from({ length: 12 }, (_, missing) => ({ missing })))('$missing names are missing', ({ missing }) => {
  const names = Array.from({ length: missing }, (_, at) => `m${at}`)
  const { look } = machineWith('/a/b')
  expect(existingPart(['/a/b', ...names].join('/'), look)).toEqual({ path: '/a/b', found: 'at /a/b', missing: names })
})

test('where nothing below the root exists, it is the root', () => {
  expect(existingPart('/x/y', machineWith('/').look)).toEqual({ path: '/', found: 'at /', missing: ['x', 'y'] })
  expect(existingPart('/x/y', () => undefined)).toBeUndefined()
})

test('a path that exists is asked for once, a new file twice, and folders in folders by their logarithm', () => {
  const askedFor = (path: string): number => {
    const { asked, look } = machineWith('/a/b')
    existingPart(path, look)
    return asked.length
  }
  expect([askedFor('/a/b'), askedFor('/a/b/new')]).toEqual([1, 2])
  expect(askedFor(`/a/b${'/d'.repeat(1_000)}`)).toBeLessThanOrEqual(20)
})
