import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { BEAT_MS } from './silence.ts'

/** The program beside this file, in a checkout or a built package. */
const ENTRY = ['./watch-entry.ts', './watch-entry.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path))

/**
 * Has another process end this one when it gives no sign of life any more; gives what lets go. Where that process cannot be
 * started or has gone, this one runs on unwatched.
 */
export const keepWatched = (): (() => void) => {
  if (ENTRY === undefined) return () => undefined
  const watch = spawn(process.execPath, ['--disable-sigusr1', ENTRY, String(process.pid)], {
    // A group of its own: what stops the guard's group must not stop its watch.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: {},
    cwd: '/',
  })
  watch.on('error', () => undefined)
  watch.stdin?.on('error', () => undefined)
  watch.unref()
  const beating = setInterval(() => watch.stdin?.write('.'), BEAT_MS)
  beating.unref()
  return () => {
    clearInterval(beating)
    watch.stdin?.end()
  }
}
