import { expect, test } from 'vitest'
import { createRunner, type RunnerRow } from './commands/runners/runner.ts'
import { RUNNERS } from './commands/runners/runners.ts'
import { COMMANDS, commandRow, programRow } from './dispatch/programs.ts'
import type { CommandRow } from './engine/call.ts'
import { isProven, type Rows, type Word } from './proof.fixture.ts'

const ROW_OF: ReadonlyMap<string, CommandRow> = new Map(
  COMMANDS.toReversed().flatMap((row) => row.names.map((name) => [name, row] as const)),
)

const namesOf = ({ names }: RunnerRow): readonly string[] => names.split(/\s+/)

const RUNNERS_OF: ReadonlyMap<string, readonly RunnerRow[]> = Map.groupBy(
  RUNNERS.flatMap((row) => namesOf(row).map((name) => ({ name, row }))),
  ({ name }) => name,
) as never

/** The programs that are known when of one of them no more is known than this. */
const instead = (name: string, own: CommandRow | undefined, runners: readonly RunnerRow[]): Rows => {
  const row = programRow(name, own, runners.map(createRunner))
  return (one) => (one === name ? row : commandRow(one))
}
