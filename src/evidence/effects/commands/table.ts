import { AGENT_COMMANDS } from './agents.ts'
import { BUILTIN_COMMANDS } from './builtins.ts'
import { CLOUD_COMMANDS } from './cloud.ts'
import type { CommandRow } from './command.ts'
import { DATABASE_COMMANDS } from './databases.ts'
import { FILE_COMMANDS } from './files.ts'
import { GIT_COMMANDS } from './git.ts'
import { NETWORK_COMMANDS } from './network.ts'
import { PACKAGE_COMMANDS } from './packages.ts'
import { READING_COMMANDS } from './reading.ts'
import { SYSTEM_COMMANDS } from './system.ts'
import { WRAPPER_COMMANDS } from './wrappers.ts'

/** Every command that is known, one row each. */
export const COMMANDS: readonly CommandRow[] = [
  ...FILE_COMMANDS,
  ...READING_COMMANDS,
  ...BUILTIN_COMMANDS,
  ...WRAPPER_COMMANDS,
  ...NETWORK_COMMANDS,
  ...GIT_COMMANDS,
  ...PACKAGE_COMMANDS,
  ...DATABASE_COMMANDS,
  ...CLOUD_COMMANDS,
  ...SYSTEM_COMMANDS,
  ...AGENT_COMMANDS,
]

const BY_NAME: ReadonlyMap<string, CommandRow> = new Map(
  COMMANDS.toReversed().flatMap((row) => row.names.map((name) => [name, row] as const)),
)

/** The row of a program, by its name without folder and version. */
export const commandRow = (name: string): CommandRow | undefined => BY_NAME.get(name)
