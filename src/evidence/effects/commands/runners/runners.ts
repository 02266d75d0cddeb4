import { words } from '../../values/words.ts'
import { COMMAND_LANGUAGES } from './command-languages.ts'
import { LANGUAGE_RUNNERS } from './languages.ts'
import { LAUNCHERS } from './launchers.ts'
import { PROJECT_RUNNERS } from './projects.ts'
import { TERMINALS } from './terminals.ts'
import { VARIABLE_RUNNERS } from './variables.ts'
import { type RunnerFollower, type RunnerRow, createRunner } from './runner.ts'

/** The families of runners, with their titles in docs/effects-programs.md. */
export const RUNNER_FAMILIES: readonly (readonly [title: string, rows: readonly RunnerRow[]])[] = [
  ['Programs that start others', LAUNCHERS],
  ['Terminals and desktops', TERMINALS],
  ['Programs with a command language', COMMAND_LANGUAGES],
  ['Languages', LANGUAGE_RUNNERS],
  ['Runners that read files of a project', PROJECT_RUNNERS],
  ['Variables of the environment', VARIABLE_RUNNERS],
]

/** All runners; a program may have several rows. */
export const RUNNERS: readonly RunnerRow[] = RUNNER_FAMILIES.flatMap(([, rows]) => rows)

const BY_NAME: ReadonlyMap<string, readonly RunnerFollower[]> = (() => {
  const found = new Map<string, RunnerFollower[]>()
  for (const row of RUNNERS) {
    const follower = createRunner(row)
    for (const name of words(row.names)) {
      const known = found.get(name)
      if (known === undefined) found.set(name, [follower])
      else known.push(follower)
    }
  }
  return found
})()

/** The followers of a program, one for each of its rows. */
export const runnersOf = (name: string): readonly RunnerFollower[] => BY_NAME.get(name) ?? []

/** Names of all runners. */
export const RUNNER_NAMES: readonly string[] = [...BY_NAME.keys()]
