import { commandRow } from '../commands/table.ts'
import type { Engine } from '../engine.ts'
import { RUNNER } from './interpreter.ts'
import { createState } from './state.ts'

/**
 * Says the effects of a shell command, by following it without running it.
 * @param pointer JSON pointer of the command in the step's payload; spans are offsets into that string
 */
export const analyseShell = (command: string, pointer: string, engine: Engine): void => {
  RUNNER.text(command, {
    engine,
    state: createState(engine.paths.cwd),
    runner: RUNNER,
    rows: commandRow,
    pointer,
    possible: false,
    background: false,
    piped: false,
    depth: 0,
    calling: [],
  })
}
