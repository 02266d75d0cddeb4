import { expect, test } from 'vitest'
import { createRunner, filesOf, type RunnerRow } from './commands/runners/runner.ts'
import { RUNNERS, runnersOf } from './commands/runners/runners.ts'
import { COMMANDS, commandRow, programRow } from './dispatch/programs.ts'
import type { CommandRow } from './engine/call.ts'
import { choicesIn, linesIn, plainestRun, plainestCall } from './plainest.fixture.ts'
import { createProof, type Rows, type Word } from './proof.fixture.ts'
import { words } from './values/words.ts'

const ROW_OF: ReadonlyMap<string, CommandRow> = new Map(
  COMMANDS.toReversed().flatMap((row) => row.names.map((name) => [name, row] as const)),
)

const RUNNERS_OF = Map.groupBy(
  RUNNERS.flatMap((row) => words(row.names).map((name) => ({ name, row }))),
  ({ name }) => name,
)

/** All programs, with other rows for these, which are found by their names in lower case, too. */
const withRows = (names: readonly string[], rowOf: (name: string) => CommandRow | undefined): Rows => {
  const rows = new Map(names.map((name) => [name, rowOf(name)]))
  const lower = new Set(names.map((name) => name.toLowerCase()))
  return (name) => (rows.has(name) ? rows.get(name) : lower.has(name) ? undefined : commandRow(name))
}

/** A program whose runner's row is another one, or none. */
const withRunner = (name: string, row: RunnerRow, other?: RunnerRow): CommandRow | undefined => {
  const rows = (RUNNERS_OF.get(name) ?? []).map((one) => (one.row === row ? other : one.row))
  return programRow(
    name,
    ROW_OF.get(name),
    rows.flatMap((one) => (one === undefined ? [] : [createRunner(one)])),
  )
}

const commandsOf = ({ examples, sample }: Pick<RunnerRow, 'examples' | 'sample'>): readonly string[] => [
  ...examples.map(([command]) => command),
  ...(sample === undefined ? [] : [sample]),
]

const PROGRAMS: readonly Word[] = COMMANDS.flatMap((row) =>
  row.names.map((name) => ({
    place: row.names[0] ?? '',
    word: name,
    cell: row.names,
    examples: commandsOf(row),
    without: () => withRows([name], () => programRow(name, undefined, runnersOf(name))),
  })),
)

const RUNNER_NAMES: readonly Word[] = RUNNERS.flatMap((row) =>
  words(row.names).map((name, _, names) => ({
    place: `${names[0]} ${row.lines[0]?.[0]}`,
    word: name,
    cell: names,
    examples: commandsOf(row),
    files: row.files ?? {},
    without: () => withRows([name], () => withRunner(name, row)),
  })),
)

/** A row with one line changed, or without it. */
const withLine = <Row extends { readonly lines: readonly (readonly [string, string])[] }>(
  row: Row,
  line: string,
  left: string | undefined,
): Row => ({
  ...row,
  lines: row.lines.flatMap(([act, text]) => {
    const lines = linesIn(text).flatMap((one) => (one === line ? (left === undefined ? [] : [left]) : [one]))
    return lines.length === 0 ? [] : [[act, lines.join(', ')]]
  }),
})

const RUNNER_WORDS: readonly Word[] = RUNNERS.flatMap((row) =>
  row.lines.flatMap(([runs, text]) =>
    linesIn(text).flatMap((line) =>
      choicesIn(line).map(({ word, cell, chosen, left }) => ({
        place: `${words(row.names)[0]} ${runs} ${line.slice(0, 60)}`,
        word,
        cell,
        areFiles: filesOf(line).includes(word),
        examples: commandsOf(row),
        files: row.files ?? {},
        plainest: plainestRun(row, runs, chosen),
        without: () => withRows(words(row.names), (name) => withRunner(name, row, withLine(row, line, left))),
      })),
    ),
  ),
)

/** Words of programs with rows of lines. */
const COMMAND_WORDS: readonly Word[] = COMMANDS.flatMap((row) => {
  const { byLines, names } = row
  if (byLines === undefined) return []
  return byLines.lines.flatMap(([act, text]) =>
    linesIn(text).flatMap((line) =>
      choicesIn(line).map(({ word, cell, chosen, left }) => ({
        place: `${names[0]} ${act} ${line.slice(0, 60)}`,
        word,
        cell,
        examples: commandsOf(row),
        plainest: plainestCall(names, chosen),
        without: () => {
          const other = byLines.withLines(withLine(byLines, line, left).lines)
          return withRows(names, (name) => programRow(name, other, runnersOf(name)))
        },
      })),
    ),
  )
})

const isProven = createProof(commandRow)

test.each([
  ['name of a program', PROGRAMS],
  ['name of a runner', RUNNER_NAMES],
  ['word of a runner', RUNNER_WORDS],
  ['word of a program', COMMAND_WORDS],
])('every %s is in an example that fails without it', { timeout: 60_000 }, (_, all) => {
  const left = Map.groupBy(
    all.filter((word) => !isProven(word)),
    ({ place }) => place,
  )
  expect([...left].map(([place, found]) => `${place}: ${found.map(({ word }) => word).join(' ')}`)).toEqual([])
})
