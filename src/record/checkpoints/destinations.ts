import { spawn } from 'node:child_process'
import { appendFile } from 'node:fs/promises'

/** A destination of checkpoints. Rejects when one could not be delivered. */
export interface Destination {
  /** Its name for a person: a path, a program or an address. */
  readonly name: string
  publish(note: string, signal: AbortSignal): Promise<void>
}

/** Appends each note to a file, with an empty line between two. */
export const toFile = (path: string): Destination => ({
  name: path,
  publish: (note) => appendFile(path, `${note}\n`, { mode: 0o600 }),
})

/** Most repeated characters of a program's error output. */
const SHOWN = 200

/** Starts a program, without a shell, with the note on standard input; exit code 0 is success. */
export const toCommand = ([program = '', ...args]: readonly string[]): Destination => ({
  name: program,
  publish: (note, signal) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, { signal, stdio: ['pipe', 'ignore', 'pipe'] })
      let complaint = ''
      child.stderr.on('data', (chunk: Buffer) => {
        if (complaint.length < SHOWN) complaint += chunk.toString()
      })
      child.on('error', reject)
      child.on('close', (code) => {
        if (code === 0) resolve()
        else reject(new Error(`it exited with ${code ?? 'a signal'}: ${complaint.slice(0, SHOWN).trim()}`))
      })
      // A program that reads nothing closes its end; its exit code reports success.
      child.stdin.on('error', () => {})
      child.stdin.end(note)
    }),
})

/** Sends each note by POST, as `text/plain`; any status of 2xx is success, and redirects are not followed. */
export const toUrl = (url: string): Destination => ({
  name: new URL(url).origin,
  publish: async (note, signal) => {
    const response = await fetch(url, {
      method: 'POST',
      body: note,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      redirect: 'error',
      signal,
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`it answered ${response.status}`)
  },
})
