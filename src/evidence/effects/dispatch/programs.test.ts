import { expect, test } from 'vitest'
import { effectsOf } from '../fixture.ts'
import { COMMANDS } from './programs.ts'
import { words } from '../values/words.ts'

/** Deleting a folder that contains the guard tampers with it as well; the examples list only the deletion. */
const withoutTamper = (effects: readonly string[], expected: readonly string[]): readonly string[] =>
  expected.includes('guard.tamper')
    ? effects.map((one) => one.replace(/^(guard\.tamper).*$/, '$1'))
    : effects.filter((one) => !one.startsWith('guard.tamper'))

const rows = COMMANDS.flatMap((row) =>
  row.examples.map(([command, ...expected]) => ({ name: command, expected: expected.flatMap(words) })),
)

test.each(rows)('$name', ({ name, expected }) => {
  expect(withoutTamper(effectsOf(name), expected).toSorted()).toEqual(expected.toSorted())
})

test('every row has an example', () => {
  expect(COMMANDS.filter((row) => row.examples.length === 0).map((row) => row.names[0])).toEqual([])
})

test('a program has one row', () => {
  const names = COMMANDS.flatMap((row) => row.names)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})
