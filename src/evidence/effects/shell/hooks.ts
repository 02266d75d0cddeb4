import type { Frame } from './frame.ts'
import { type FunctionBody, fork } from './state.ts'

/** Functions that a shell calls by itself: when a command is not found, before or after each command, at a signal, at its end. */
const HOOK =
  /^(?:command_not_found_handler?|precmd|preexec|chpwd|periodic|zshaddhistory|zshexit|zle-[\w-]+|TRAP[A-Z0-9]+|fish_prompt|fish_right_prompt|fish_greeting|fish_command_not_found|fish_(?:pre|post)exec)$/

/** Defines a function; one that the shell calls by itself may run at any time. */
export const defineFunction = (name: string, body: FunctionBody, frame: Frame): void => {
  frame.state.functions.set(name, body)
  if (HOOK.test(name))
    frame.runner.node(body, { ...frame, state: fork({ ...frame.state, stdin: undefined }), possible: true })
}
