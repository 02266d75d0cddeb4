import type { Place } from '../engine/engine.ts'
import { type Value, known } from '../values/value.ts'
import { literal } from '../values/field.ts'
import { writeFiles } from '../engine/files.ts'
import type { Frame } from '../engine/frame.ts'
import { type FunctionBody, fork } from '../engine/state.ts'
import type { WordHost } from './word-host.ts'

/**
 * Functions that a shell calls itself: when a command is not found, before or after each command, at a signal, at its
 * end.
 */
const HOOK =
  /^(?:command_not_found_handler?|precmd|preexec|chpwd|periodic|zshaddhistory|zshexit|zle-[\w-]+|TRAP[A-Z0-9]+|fish_prompt|fish_right_prompt|fish_greeting|fish_command_not_found|fish_(?:pre|post)exec)$/

/** Defines a function; one that the shell itself calls may run at any time. */
export const defineFunction = (name: string, body: FunctionBody, frame: Frame): void => {
  frame.state.functions.set(name, body)
  if (HOOK.test(name))
    frame.runner.node(body, { ...frame, state: fork({ ...frame.state, stdin: undefined }), possible: true })
}

/** Variables that a shell runs as code. */
const RUNS = /^(?:PROMPT_COMMAND|(?:precmd|preexec|chpwd|periodic|zshexit|zshaddhistory)_functions)$/
/** Variables that a shell expands once more when it uses them. */
const EXPANDS = /^(?:PS[0-4]|R?PROMPT[2-4]?|RPS[1-4]|SPROMPT|MAILPATH|BASH_ENV|ENV)$/
/** Tables of a shell that map names to code. */
const TABLE = /^(?:BASH_ALIASES|BASH_CMDS|functions|(?:dis_)?aliases|galiases|saliases|commands)$/

interface Assigned {
  readonly name: string
  readonly index?: Value | undefined
  readonly value: Value
}

/** Runs the code in an assignment, now or when the shell uses the variable. */
export const emitAssigned = ({ name, index, value }: Assigned, frame: Frame, host: WordHost, place: Place): void => {
  if (RUNS.test(name)) for (const text of value.texts) host.code(text)
  if (EXPANDS.test(name)) for (const text of value.texts) host.expand(text)
  for (const key of index?.texts ?? []) {
    if (TABLE.test(name)) for (const text of value.texts) frame.state.aliases.set(key, text)
    // A module of zsh in which an element is a file.
    if (name === 'mapfile' && key.includes('/')) writeFiles(frame, place, name, [literal(key)], value)
  }
}

/** Code of a variable of the environment that bash reads as a function: `BASH_FUNC_ls%%`. */
export const functionCode = (variable: string, value: Value): Value | undefined => {
  const name = /^BASH_FUNC_(.+?)(?:%%|\(\))$/.exec(variable)?.[1]
  const [text] = value.texts
  return name === undefined || text === undefined ? undefined : known(`${name} ${text}\n${name}`, value.flow)
}
