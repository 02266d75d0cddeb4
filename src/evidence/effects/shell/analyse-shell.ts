import { commandRow } from '../commands/table.ts'
import type { Engine, Place } from '../engine.ts'
import { readPowershell } from '../powershell/read-powershell.ts'
import type { Frame } from './frame.ts'
import { RUNNER } from './interpreter.ts'
import { createState } from './state.ts'

const outermost = (text: string, pointer: string, engine: Engine): Frame => ({
  engine,
  state: createState(engine.paths.cwd),
  runner: RUNNER,
  rows: commandRow,
  pointer,
  length: text.length,
  possible: false,
  background: false,
  piped: false,
  depth: 0,
  calling: [],
})

/**
 * Says the effects of a shell command, by following it without running it.
 * @param pointer JSON pointer of the command in the step's payload; spans are offsets into that string
 */
export const analyseShell = (command: string, pointer: string, engine: Engine): void => {
  RUNNER.text(command, outermost(command, pointer, engine))
}

/** The same for shell code that the call only puts somewhere to be run later. */
export const analyseLater = (code: string, place: Place, engine: Engine): void => {
  const frame = outermost(code, place.span?.pointer ?? '', engine)
  RUNNER.text(code, { ...frame, ...(place.span ? { span: place.span } : {}), possible: true, depth: 1 })
}

/** The same for PowerShell code. */
export const analysePowershell = (code: string, pointer: string, engine: Engine): void => {
  const span = { pointer, start: 0, end: code.length }
  const frame = { ...outermost(code, pointer, engine), span }
  readPowershell(code, frame, { span, possible: false, background: false }, 'powershell')
}
