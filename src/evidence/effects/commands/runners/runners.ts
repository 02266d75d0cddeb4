import type { CommandRow } from '../../engine/call.ts'
import { LANGUAGE_RUNNERS } from './languages.ts'
import { LAUNCHERS } from './launchers.ts'
import { PROJECT_RUNNERS } from './projects.ts'
import { VARIABLE_RUNNERS } from './variables.ts'
import { type RunnerArguments, type RunnerFollower, type RunnerRow, createRunner } from './runner.ts'
import { words } from '../../values/words.ts'

/** Every runner that is followed; a program may have several rows. */
export const RUNNERS: readonly RunnerRow[] = [
  ...LAUNCHERS,
  ...LANGUAGE_RUNNERS,
  ...PROJECT_RUNNERS,
  ...VARIABLE_RUNNERS,
]

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

/** A command's row with what the program runs; the row alone where it is no runner. */
export const withRunner = (name: string, row: CommandRow | undefined): CommandRow | undefined => {
  const followers = BY_NAME.get(name)
  if (followers === undefined) return row
  return {
    ...row,
    names: [name],
    ...(row === undefined ? { isOpen: true } : {}),
    examples: [],
    run: (call) => {
      const read = new Map<string, RunnerArguments>()
      for (const follow of followers) follow(call, read)
      return row?.run(call)
    },
  }
}

/** Names of all runners. */
export const RUNNER_NAMES: readonly string[] = [...BY_NAME.keys()]
