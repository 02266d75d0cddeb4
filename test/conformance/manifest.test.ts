import { expect, test } from 'vitest'
import { openManifest } from './manifest.ts'

const ONE = { id: 'A-1', clause: '1', says: 'It answers.' }

test.each([
  { name: 'a duplicate id', run: () => openManifest([ONE, ONE]), error: /one id/ },
  {
    name: 'a test of nothing',
    run: () => {
      openManifest([ONE]).prove([], 'x', () => undefined)
    },
    error: /names nothing/,
  },
  {
    name: 'a test of an unknown requirement',
    run: () => {
      openManifest([ONE]).prove(['A-2'], 'x', () => undefined)
    },
    error: /A-2, which the manifest does not hold/,
  },
])('a manifest refuses $name', ({ run, error }) => {
  expect(run).toThrow(error)
})
