import { expect, test } from 'vitest'
import { createRunner, filesOf, type RunnerRow } from './commands/runners/runner.ts'
import { RUNNERS } from './commands/runners/runners.ts'
import { COMMANDS, commandRow, programRow } from './dispatch/programs.ts'
import type { CommandRow } from './engine/call.ts'
import { effectsAmong, isProven, type Rows, type Word } from './proof.fixture.ts'
import { words } from './values/words.ts'

const ROW_OF: ReadonlyMap<string, CommandRow> = new Map(
  COMMANDS.toReversed().flatMap((row) => row.names.map((name) => [name, row] as const)),
)

const RUNNERS_OF = Map.groupBy(
  RUNNERS.flatMap((row) => words(row.names).map((name) => ({ name, row }))),
  ({ name }) => name,
)

/** The programs that are known when a runner's row is another one, or none, for one program. */
const changed = (name: string, own: CommandRow | undefined, row?: RunnerRow, other?: RunnerRow): Rows => {
  const runners = (RUNNERS_OF.get(name) ?? []).flatMap((one) =>
    one.row === row ? (other === undefined ? [] : [other]) : [one.row],
  )
  const whole = programRow(name, own, runners.map(createRunner))
  return (one) => (one === name ? whole : commandRow(one))
}

const givenBy = ({ examples, files = {}, sample }: RunnerRow) => ({
  examples: [...examples.map(([command]) => command), ...(sample === undefined ? [] : [sample])],
  files,
})

const PROGRAMS: readonly Word[] = COMMANDS.flatMap(({ names, examples }) =>
  names.map((name) => ({
    place: `${names[0]}`,
    word: name,
    cell: names,
    examples: examples.map(([command]) => command),
    without: () => changed(name, undefined),
  })),
)

const RUNNER_NAMES: readonly Word[] = RUNNERS.flatMap((row) =>
  words(row.names).map((name, _, names) => ({
    place: `${names[0]} ${row.lines[0]?.[0]}`,
    word: name,
    cell: names,
    ...givenBy(row),
    without: () => changed(name, ROW_OF.get(name), row),
  })),
)

/** The words of a place, each with what it would be without: `run|r !a|b ./x|y` has six, and the last two are files. */
const wordsOf = (place: string): readonly { word: string; cell: readonly string[]; left: string | undefined }[] =>
  place.split(' ').flatMap((part, at, parts) => {
    const isLast = at === parts.length - 1
    const files = isLast ? filesOf(place) : []
    const [, start = '', body = '', end = ''] = /^(!|\.\/(?=.))?(.*?)(…?)$/.exec(part) ?? []
    const cell = files.length > 0 ? files : body.split('|').filter((one) => /\w/.test(one))
    return cell.map((word) => {
      const others = cell.filter((one) => one !== word)
      const left = others.length === 0 ? undefined : `${start}${others.join('|')}${end}`
      return { word, cell, left: left === undefined ? undefined : parts.with(at, left).join(' ') }
    })
  })

/** A runner's row with one of its places changed, or without it. */
const withPlace = (row: RunnerRow, place: string, left: string | undefined): RunnerRow => ({
  ...row,
  lines: row.lines.map(([runs, ...places]) => [
    runs,
    ...places.flatMap((one) => (one === place ? (left === undefined ? [] : [left]) : [one])),
  ]),
})

const RUNNER_WORDS: readonly Word[] = RUNNERS.flatMap((row) =>
  row.lines.flatMap(([runs, ...places]) =>
    places.flatMap((place) =>
      wordsOf(place).map(({ word, cell, left }) => ({
        place: `${words(row.names)[0]} ${runs} ${place.slice(0, 60)}`,
        word,
        cell,
        areFiles: filesOf(place).includes(word),
        ...givenBy(row),
        without: () => {
          const rows = new Map(
            words(row.names).map((name) => [name, changed(name, ROW_OF.get(name), row, withPlace(row, place, left))]),
          )
          return (name: string) => (rows.get(name) ?? commandRow)(name)
        },
      })),
    ),
  ),
)

const seen = new Map<string, string>()
/** The effects of a command in a project where every program is known; each is followed once. */
const whole = ([command, files]: readonly [string, Readonly<Record<string, string>>]): string => {
  const key = [command, ...Object.entries(files).flat()].join('\0')
  const known = seen.get(key) ?? effectsAmong(commandRow, command, files)
  seen.set(key, known)
  return known
}

test.each([
  ['programs', PROGRAMS],
  ['runners', RUNNER_NAMES],
  ['words of runners', RUNNER_WORDS],
])('%s', (_, all) => {
  const left = all.filter((word) => !isProven(word, whole))
  console.log(all.length, left.length)
  const byPlace = Map.groupBy(left, ({ place }) => place)
  expect([...byPlace].map(([place, found]) => `${place}: ${found.map(({ word }) => word).join(' ')}`)).toEqual([])
})
