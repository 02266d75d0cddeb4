import { fileURLToPath } from 'node:url'
import { runProgram } from './run-program.ts'
import type { ProgramRun } from './run-program.ts'

/** The command under test: the checkout's, or a built one named by SALLYPORT_E2E_CLI. */
export const cliEntry = (): string =>
  process.env['SALLYPORT_E2E_CLI'] ?? fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))

/** Where and as whom the command runs. */
export interface CliPlace {
  /** A command that the program is run by, such as one that makes a namespace. */
  readonly prefix?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

const LIMIT_MS = 60_000

/** Runs `sallyport ARGS` to its end, as a person would. */
export const runCli = (args: readonly string[], { prefix = [], env, cwd }: CliPlace): Promise<ProgramRun> =>
  runProgram([...prefix, process.execPath, cliEntry(), ...args], { env, cwd, limitMs: LIMIT_MS })
