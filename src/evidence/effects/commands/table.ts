import { AGENT_COMMANDS } from './agents.ts'
import { ANY_PROGRAM_COMMANDS } from './any-program.ts'
import { BUILTIN_COMMANDS } from './builtins.ts'
import { CLOUD_COMMANDS } from './cloud.ts'
import { CLUSTER_COMMANDS } from './clusters.ts'
import { CODE_HOST_COMMANDS } from './code-hosts.ts'
import type { CommandRow } from './command.ts'
import { CONTAINER_COMMANDS } from './containers.ts'
import { DATABASE_COMMANDS } from './databases.ts'
import { DISK_COMMANDS } from './disks.ts'
import { ENCODING_COMMANDS } from './encoding.ts'
import { FILE_COMMANDS } from './files.ts'
import { GIT_COMMANDS } from './git.ts'
import { HTTP_COMMANDS } from './http-clients.ts'
import { JAVA_COMMANDS } from './java.ts'
import { NETWORK_COMMANDS } from './network.ts'
import { OBJECT_STORE_COMMANDS } from './object-stores.ts'
import { OPENCLAW_COMMANDS } from './openclaw-command.ts'
import { PACKAGE_COMMANDS } from './packages.ts'
import { PRINTING_COMMANDS } from './printing.ts'
import { PUBLISHER_COMMANDS } from './publishers.ts'
import { READING_COMMANDS } from './reading.ts'
import { REMOTE_SHELL_COMMANDS } from './remote-shells.ts'
import { SCRIPT_LANGUAGE_COMMANDS } from './script-languages.ts'
import { SERVICE_COMMANDS } from './services/services.ts'
import { SYSTEM_COMMANDS } from './system.ts'
import { TUNNEL_COMMANDS } from './tunnels.ts'
import { WINDOWS_COMMANDS } from './windows.ts'
import { WINDOWS_SHELL_COMMANDS } from './windows-shells.ts'
import { WRAPPER_COMMANDS } from './wrappers.ts'

/** Every command that is known, one row each. */
export const COMMANDS: readonly CommandRow[] = [
  ...FILE_COMMANDS,
  ...DISK_COMMANDS,
  ...READING_COMMANDS,
  ...ENCODING_COMMANDS,
  ...PRINTING_COMMANDS,
  ...BUILTIN_COMMANDS,
  ...WRAPPER_COMMANDS,
  ...SCRIPT_LANGUAGE_COMMANDS,
  ...REMOTE_SHELL_COMMANDS,
  ...WINDOWS_SHELL_COMMANDS,
  ...WINDOWS_COMMANDS,
  ...JAVA_COMMANDS,
  ...HTTP_COMMANDS,
  ...NETWORK_COMMANDS,
  ...TUNNEL_COMMANDS,
  ...GIT_COMMANDS,
  ...PACKAGE_COMMANDS,
  ...PUBLISHER_COMMANDS,
  ...DATABASE_COMMANDS,
  ...CODE_HOST_COMMANDS,
  ...CLOUD_COMMANDS,
  ...OBJECT_STORE_COMMANDS,
  ...CLUSTER_COMMANDS,
  ...CONTAINER_COMMANDS,
  ...SERVICE_COMMANDS,
  ...SYSTEM_COMMANDS,
  ...AGENT_COMMANDS,
  ...OPENCLAW_COMMANDS,
  ...ANY_PROGRAM_COMMANDS,
]

const BY_NAME: ReadonlyMap<string, CommandRow> = new Map(
  COMMANDS.toReversed().flatMap((row) => row.names.map((name) => [name, row] as const)),
)

/** The row of a program, by its name without folder and version; `*` has the row of any other. */
export const commandRow = (name: string): CommandRow | undefined => BY_NAME.get(name)
