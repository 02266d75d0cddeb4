import { basename } from 'node:path'

const LAUNCHERS = /^(?:node|npx|bunx?|deno|python[\d.]*|uvx?|docker|sh|bash)$/
/** Their own commands, before the name of what they start. */
const LAUNCHES = /^(?:run|exec|tool|x)$/

/** What a command line starts, for people: the program, or the first operand of a launcher. */
export const programName = ([program = '', ...args]: readonly string[]): string => {
  const own = basename(program).replace(/\.\w{1,4}$/, '')
  const operand = LAUNCHERS.test(own) ? args.find((arg) => !arg.startsWith('-') && !LAUNCHES.test(arg)) : undefined
  return operand === undefined ? own : operand.startsWith('/') ? basename(operand) : operand
}
