import { homedir } from 'node:os'
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { keepWatched } from '../liveness/keep-watched.ts'
import { readSecret } from './io/read-secret.ts'
import type { ExitCode } from './io/io.ts'
import { run } from './run.ts'

/** Runs the command line of this process. */
export const start = async (): Promise<ExitCode> => {
  const abort = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      abort.abort()
    })
  // A reader that has closed, such as `| head`, is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
  })

  const ask = async (question: string): Promise<string> => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    try {
      return await terminal.question(question, { signal: abort.signal })
    } finally {
      terminal.close()
    }
  }

  return run(process.argv.slice(2), {
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
    stdin: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array))
      return Buffer.concat(chunks).toString('utf8')
    },
    stdinChunks: () => process.stdin,
    ...(process.stdin.isTTY && process.stderr.isTTY
      ? { ask, readSecret: (prompt: string) => readSecret(prompt, process.stdin, process.stderr) }
      : {}),
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    isTty: process.stdout.isTTY,
    ...(process.stdout.isTTY ? { columns: process.stdout.columns } : {}),
    signal: abort.signal,
    keepWatched,
  })
}
