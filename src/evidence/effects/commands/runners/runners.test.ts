import { describe, expect, test } from 'vitest'
import { effectNotation, isPlainRun } from '../../effect-notation.fixture.ts'
import { analyseWith } from '../../fixture.ts'
import { PROJECT_ROWS } from './projects.ts'
import { words } from '../../values/words.ts'
import { RUNNERS } from './runners.ts'

/** A program may have a row of its own that emits the same effect as possible. */
const plain = (effects: readonly string[]): readonly string[] =>
  effects.filter(
    (one) => !one.startsWith('guard.tamper') && !(one.includes('?') && effects.includes(one.replace('?', ''))),
  )

const effectsIn = (command: string, files: Readonly<Record<string, string>>): readonly string[] =>
  analyseWith(command, files)
    .effects.filter((effect) => !isPlainRun(effect))
    .map(effectNotation)

const examples = RUNNERS.flatMap(({ examples: rows, files = {} }) =>
  rows.map(([command, ...expected]) => ({ name: command, files, expected: expected.flatMap(words) })),
)

test.each(examples)('$name', ({ name, files, expected }) => {
  expect(plain(effectsIn(name, files)).toSorted()).toEqual(expected.toSorted())
})

const DELETES_ROOT = /^fs\.delete\S*@root$/

describe('files of a project that a runner finds by itself', () => {
  test.each(
    PROJECT_ROWS.map(([names, runs, , command, file, text]) => ({
      name: `${names.split(' ')[0]}: ${runs} ${file}`,
      command,
      file,
      text,
    })),
  )('$name', ({ command, file, text }) => {
    expect(effectsIn(command, { [file]: text }).filter((one) => DELETES_ROOT.test(one))).not.toEqual([])
    expect(effectsIn(command, {}).filter((one) => DELETES_ROOT.test(one))).toEqual([])
  })
})

const DELETES = 'import os; os.system("rm -rf /")'
const DELETES_JS = 'require("child_process").execSync("rm -rf /")'
const isDeleting = (command: string, files: Readonly<Record<string, string>>): boolean =>
  effectsIn(command, files).some((one) => DELETES_ROOT.test(one))

describe('operands select the tests that run', () => {
  const python = { 'tests/test_a.py': DELETES, 'tests/test_b.py': 'assert True', 'tests/deep/in/test_c.py': DELETES }
  const javascript = {
    'src/a.test.ts': DELETES_JS,
    'src/b.test.ts': 'it("b")',
    'src/deep/in/c.test.ts': DELETES_JS,
    'tests/d.test.ts': 'it("d")',
  }
  test.each([
    ['pytest', python, true],
    ['pytest tests/test_b.py', python, false],
    ['pytest tests/test_b.py::test_x', python, false],
    ['pytest tests/test_a.py::test_x', python, true],
    ['pytest tests', python, true],
    ['pytest tests/deep/in/test_c.py', python, true],
    // The word may be the value of the preceding option.
    ['pytest -k b', python, true],
    ['pytest "$X"', python, true],
    ["pytest 'tests/test_?.py'", python, true],
    ['vitest run', javascript, true],
    ['vitest run src/b', javascript, false],
    ['vitest run ./src/b.test.ts', javascript, false],
    ['vitest run src/a', javascript, true],
    ['vitest run src/b.test.ts a.test', javascript, true],
    ['vitest run SRC/A', javascript, true],
    ['vitest run app/src/a', javascript, true],
    ['vitest run rc/a', javascript, true],
    ['vitest run src/', javascript, true],
    ['vitest run app/', javascript, true],
    ['vitest run src', javascript, true],
    ['vitest run tests', javascript, false],
    ['vitest run src/deep/in/c.test.ts', javascript, true],
    ['vitest --reporter dot', javascript, true],
    ['vitest related src/b.ts', javascript, true],
    ["jest 'src/[ab]'", javascript, true],
  ] as const)('%s', (command, files, expected) => {
    expect(isDeleting(command, files)).toBe(expected)
  })

  test('a named Go file', () => {
    const text = 'func main(){ h := "/"; exec.Command("rm", "-rf", h).Run() }'
    expect(isDeleting('go run -tags a x.go', { 'x.go': text })).toBe(true)
    expect(isDeleting('go vet x.go', { 'x.go': text })).toBe(false)
  })

  test('node runs tests only with its option', () => {
    expect(isDeleting('node --test', { 'a.test.js': DELETES_JS })).toBe(true)
    expect(isDeleting('node -e 1', { 'a.test.js': DELETES_JS })).toBe(false)
  })
})
