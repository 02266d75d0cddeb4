import { spawn } from 'node:child_process'

/** How the run of a program ended, and what it printed. */
export interface ProgramRun {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a program to its end, or until it is killed after `limitMs`. */
export const runProgram = (
  [program = '', ...args]: readonly string[],
  {
    env,
    cwd,
    limitMs,
  }: { readonly env: Readonly<Record<string, string>>; readonly cwd: string; readonly limitMs: number },
): Promise<ProgramRun> =>
  new Promise((done, failed) => {
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs)
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
