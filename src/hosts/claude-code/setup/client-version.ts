/** A version of the client, as `claude --version` prints it: `2.1.330 (Claude Code)`. */
export interface ClientVersion {
  readonly text: string
  readonly parts: readonly [number, number, number]
}

/** The form in which the guard's hooks are written for a client. */
export type HookForm =
  /** HTTP hooks that block when the guard does not answer. */
  | 'http'
  /** A command for every event, started without a shell. */
  | 'command'
  /** A command line for every event, for clients without argument lists. */
  | 'shell'

/** The first versions that support what a form needs (research of the releases; docs/hosts/claude-code.md). */
const FLOORS: readonly { readonly form: HookForm; readonly since: ClientVersion['parts'] }[] = [
  { form: 'http', since: [2, 1, 295] },
  { form: 'command', since: [2, 1, 139] },
]

/** The version in the client's output; `undefined` when there is none. */
export const parseClientVersion = (printed: string): ClientVersion | undefined => {
  const found = /(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(printed)
  if (found === null) return undefined
  return { text: found[0], parts: [Number(found[1]), Number(found[2]), Number(found[3])] }
}

const atLeast = (parts: ClientVersion['parts'], floor: ClientVersion['parts']): boolean => {
  for (const [index, part] of parts.entries()) if (part !== floor[index]) return part > (floor[index] ?? 0)
  return true
}

/** The form for a client; one of unknown version counts as new. */
export const hookForm = (version: ClientVersion | undefined): HookForm =>
  version === undefined ? 'http' : (FLOORS.find(({ since }) => atLeast(version.parts, since))?.form ?? 'shell')
