import { spawn, type ChildProcess } from 'node:child_process'
import { z } from 'zod'
import { cliEntry, type CliPlace } from './cli.ts'

/** A real `sallyport serve` of its own, with the levers that a test may pull. */
export interface RunningGuard {
  readonly url: string
  readonly port: number
  readonly pid: number
  isRunning(): boolean
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>
  /** Kills it at once (SIGKILL), and waits until it is gone. */
  kill(): Promise<void>
  /** Stops its clock: it still takes connections, and answers nothing. The most honest slow guard there is. */
  pause(): void
  resume(): void
}

/** The guard's output when it is ready. */
const READY_LINE = z.object({ url: z.url() })

type ReadyLine = z.infer<typeof READY_LINE>

const READY_LIMIT_MS = 30_000

const readyLine = (child: ChildProcess): Promise<ReadyLine> =>
  new Promise((ready, failed) => {
    let out = ''
    let err = ''
    const limit = setTimeout(
      () => failed(new Error(`The guard was not ready in time. It said: ${err}`)),
      READY_LIMIT_MS,
    )
    child.stderr?.on('data', (part: Buffer) => (err = (err + part.toString('utf8')).slice(-4000)))
    child.stdout?.on('data', (part: Buffer) => {
      out += part.toString('utf8')
      if (!out.includes('\n')) return
      clearTimeout(limit)
      ready(READY_LINE.parse(JSON.parse(out.slice(0, out.indexOf('\n')))))
    })
    child.on('error', failed)
    child.on('exit', (code) => failed(new Error(`The guard ended with ${code} before it was ready. It said: ${err}`)))
  })

/**
 * Starts a guard with `data` as its folder and waits until it is ready.
 * @param port 0 for any free port
 */
export const startGuard = async (place: CliPlace, data: string, port = 0): Promise<RunningGuard> => {
  const args = [cliEntry(), 'serve', '--port', String(port), '--data', data]
  const child = spawn(process.execPath, args, { env: place.env, cwd: place.cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = new Promise<void>((done) => {
    child.on('close', () => done())
  })
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill('SIGCONT')
    child.kill(signal)
    await gone
  }
  try {
    const { url } = await readyLine(child)
    return {
      url,
      port: Number(new URL(url).port),
      pid: child.pid ?? 0,
      isRunning: () => child.exitCode === null && child.signalCode === null,
      stop: () => end('SIGTERM'),
      kill: () => end('SIGKILL'),
      pause: () => void child.kill('SIGSTOP'),
      resume: () => void child.kill('SIGCONT'),
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}
