import type { CommandNode, CompoundList } from 'unbash'
import { type Value, either, unknown } from '../value.ts'

/** The body of a function defined in the command itself. */
export type FunctionBody = CommandNode | CompoundList

/** What a shell holds while its commands are followed. Changed as they run; `fork` makes a subshell's own. */
export interface ShellState {
  readonly vars: Map<string, Value>
  readonly exported: Set<string>
  readonly functions: Map<string, FunctionBody>
  readonly aliases: Map<string, string>
  readonly fds: Map<number, Value>
  /** Where it may be; `undefined` is a folder that is not known. */
  cwds: readonly (string | undefined)[]
  /** Where it still is if the last change of folder fails; set only when the folder is not there. */
  stayed?: readonly (string | undefined)[] | undefined
  /** Inside the body of a loop. */
  looping?: boolean
  positional: readonly Value[]
  /** Arguments that are not given may be given another time: a file on disk is not written for this call alone. */
  mayHaveMore?: boolean
  /** What arrives on standard input; `undefined` when nothing is piped in. */
  stdin: Value | undefined
}

/** What outlives subshells: the file system as the command itself has changed it. */
export interface Scratch {
  /** Content written to a path by the command. */
  readonly files: Map<string, Value>
  /** Links made by the command, path to what it leads to. */
  readonly links: Map<string, string>
  /** A search for the guard among the processes has been run. */
  sought?: boolean
}

export const createState = (cwd: string | undefined): ShellState => ({
  vars: new Map(),
  exported: new Set(),
  functions: new Map(),
  aliases: new Map(),
  fds: new Map(),
  cwds: [cwd],
  positional: [],
  stdin: undefined,
})

export const fork = (state: ShellState): ShellState => ({
  ...state,
  vars: new Map(state.vars),
  exported: new Set(state.exported),
  functions: new Map(state.functions),
  aliases: new Map(state.aliases),
  fds: new Map(state.fds),
})

/** Makes `state` hold what either of two branches may have left; a variable set in one only may be unset. */
export const join = (state: ShellState, left: ShellState, right: ShellState): void => {
  const names = new Set([...left.vars.keys(), ...right.vars.keys()])
  for (const name of names) {
    const [one, other] = [left.vars.get(name), right.vars.get(name)]
    const value = one && other ? either(one, other) : (one ?? other ?? unknown())
    state.vars.set(name, value)
  }
  for (const branch of [left, right]) {
    for (const name of branch.exported) state.exported.add(name)
    for (const [name, body] of branch.functions) state.functions.set(name, body)
    for (const [name, text] of branch.aliases) state.aliases.set(name, text)
    for (const [fd, value] of branch.fds) state.fds.set(fd, value)
  }
  state.cwds = [...new Set([...left.cwds, ...right.cwds])]
}
