import { expect, test } from 'vitest'
import { createRunner, type RunnerRow } from './commands/runners/runner.ts'
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

const givenBy = ({ examples, files = {} }: RunnerRow) => ({ examples: examples.map(([command]) => command), files })

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

/** Cells of a place: `run|r !a|b ./x|y` has three; the last word is what is run. */
const cellsOf = (place: string): readonly (readonly string[])[] =>
  place.split(' ').map((part) =>
    part
      .replace(/^!|^\.\/(?=.)|…$/g, '')
      .split('|')
      .filter((one) => /\w/.test(one)),
  )

const withoutWord = (place: string, cell: number, word: string): string | undefined => {
  const parts = place.split(' ').map((part, at) => {
    if (at !== cell) return part
    const [, start = '', body = '', end = ''] = /^(!|\.\/)?(.*?)(…?)$/.exec(part) ?? []
    const left = body.split('|').filter((one) => one !== word)
    return left.length === 0 ? undefined : `${start}${left.join('|')}${end}`
  })
  return parts.includes(undefined) ? undefined : parts.join(' ')
}

const RUNNER_WORDS: readonly Word[] = RUNNERS.flatMap((row) =>
  row.lines.flatMap(([runs, ...places], line) =>
    places.flatMap((place, at) =>
      cellsOf(place).flatMap((cell, index) =>
        cell.map((word) => ({
          place: `${words(row.names)[0]} ${runs} ${place}`,
          word,
          cell,
          areFiles: place.split(' ')[index]?.startsWith('./') === true || word.startsWith('+/'),
          ...givenBy(row),
          without: () => {
            const left = withoutWord(place, index, word)
            const lines = row.lines.map((one, nth) =>
              nth === line
                ? ([
                    runs,
                    ...places.flatMap((other, other_) =>
                      other_ === at ? (left === undefined ? [] : [left]) : [other],
                    ),
                  ] as const)
                : one,
            )
            const rows = words(row.names).map((name) => changed(name, ROW_OF.get(name), row, { ...row, lines }))
            return (name: string) => {
              const which = words(row.names).indexOf(name)
              return which < 0 ? commandRow(name) : rows[which]?.(name)
            }
          },
        })),
      ),
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
  expect(left.map(({ place, word }) => `${place}: ${word}`)).toEqual([])
})
