import { expect, test } from 'vitest'
import { denySource } from '../../policy/lists.ts'
import { readRules } from '../../policy/read-rules.ts'
import { readSettings } from '../../policy/settings.ts'
import { loadConfig } from '../../config/load.ts'
import { topicsOf } from './detectors.ts'

const configOf = (text: string) => loadConfig([{ layer: 'user', path: 'sallyport.yaml', text }])

test('topics come from the configuration', () => {
  const detector = topicsOf(configOf('topics: { deny: [{ name: Rivals, words: [Acme], patterns: ["acme ?corp"] }] }'))
  expect(detector.detect('buy at ACME corp', 'user').map(({ type }) => type)).toEqual(['rivals'])
})

test('without topics nothing is found', () => {
  expect(topicsOf(configOf('')).detect('buy at ACME corp', 'user')).toEqual([])
})

test('an invalid pattern is refused', () => {
  expect(() => topicsOf(configOf('topics: { deny: [{ name: a, patterns: ["("] }] }'))).toThrow(
    /topics\.deny\.0\.patterns\.0/,
  )
})

test.each([
  ['user', 1],
  ['project', 0],
] as const)('topics of the %s layer become %i rules', (layer, count) => {
  const { settings } = readSettings({ topics: { deny: [{ name: 'a', words: ['b'] }] } }, layer, 'sallyport.yaml')
  const source = denySource(settings)
  const read = source === undefined ? { rules: [], problems: [] } : readRules(source)
  expect([read.rules.map(({ id }) => id), read.problems]).toEqual([count === 1 ? ['deny-topics'] : [], []])
})
