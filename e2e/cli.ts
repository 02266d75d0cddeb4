import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** How a run of the `sallyport` command ended, and what it printed. */
export interface CliRun {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

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
export const runCli = (args: readonly string[], place: CliPlace): Promise<CliRun> =>
  new Promise((done, failed) => {
    const [program = '', ...rest] = [...(place.prefix ?? []), process.execPath, cliEntry(), ...args]
    const child = spawn(program, rest, { env: place.env, cwd: place.cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    let out = ''
    let err = ''
    child.stdout.on('data', (part: Buffer) => (out += part.toString('utf8')))
    child.stderr.on('data', (part: Buffer) => (err += part.toString('utf8')))
    child.on('error', failed)
    child.on('close', (code) => {
      clearTimeout(limit)
      done({ code, out, err })
    })
  })
