import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { singleQuoted } from '../src/protocol/shell-word.ts'
import { cliEntry, type CliPlace } from './cli.ts'
import type { ProgramRun } from './run-program.ts'

/** A person at a terminal of their own: commands run in a pseudo-terminal, and what is asked there is typed. */
export interface Person {
  /** Enrols a key that a passphrase protects. */
  enrols(): Promise<ProgramRun>
  /** Runs `sallyport ARGS` and types the passphrase wherever it is asked for. */
  runs(...args: readonly string[]): Promise<ProgramRun>
  /** Runs it, and does something with each thing that it prints and that fits; for pages that a command waits for. */
  runsAnd(
    args: readonly string[],
    printed: RegExp,
    act: (match: RegExpMatchArray) => Promise<void>,
  ): Promise<ProgramRun>
}

const LIMIT_MS = 60_000
/** A prompt that waits for a passphrase. */
const PROMPT = /(?:[Pp]assphrase[^\n]*|Repeat the passphrase): $/

/** The passphrase of keys in these worlds; put together here, since it looks like what it is. */
export const PASSPHRASE = ['correct', 'horse', 'battery', 'staple'].join(' ')

/**
 * Somebody with a terminal in this place, on the guard of this data folder.
 * @param program the command under test, where it is not the checkout's
 */
export const personIn = (
  place: CliPlace,
  data: string,
  passphrase = PASSPHRASE,
  program: readonly string[] = [process.execPath, cliEntry()],
): Person => {
  const runsAnd: Person['runsAnd'] = (args, printed, act) =>
    new Promise((done, failed) => {
      const words = [...(place.prefix ?? []), ...program, ...args, '--data', data]
      const line = `stty cols 110 rows 45; exec ${words.map(singleQuoted).join(' ')}`
      const child = spawn('script', ['-qefc', line, '/dev/null'], {
        env: { ...place.env, TERM: 'xterm-256color', NO_COLOR: '1' },
        cwd: place.cwd,
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
      onTestFinished(() => void child.kill('SIGKILL'))
      let out = ''
      let from = 0
      let seen = 0
      child.stdout.on('data', (part: Buffer) => {
        out += part.toString('utf8')
        if (PROMPT.test(out.slice(from))) {
          from = out.length
          child.stdin.write(`${passphrase}\r`)
        }
        const match = [...out.matchAll(new RegExp(printed, 'g'))][seen]
        if (match === undefined) return
        seen += 1
        act(match).catch((error: unknown) => {
          child.kill('SIGKILL')
          failed(error instanceof Error ? error : new Error(String(error)))
        })
      })
      child.on('error', failed)
      child.on('close', (code) => {
        clearTimeout(limit)
        done({ code, out: out.replaceAll('\r\n', '\n'), err: '' })
      })
    })
  const runs: Person['runs'] = (...args) => runsAnd(args, /(?!)/, async () => {})
  return { runs, runsAnd, enrols: () => runs('keys', 'add', 'passphrase', 'laptop') }
}
