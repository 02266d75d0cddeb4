import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'

/** Makes committed data survive a power cut. */
export interface WalSync {
  /** Resolves when every transaction committed before the call is on the disk. */
  sync(): Promise<void>
  close(): void
}

const flushFile = promisify(fdatasync)

/**
 * Flushes the write-ahead log in a thread of libuv's pool, as `synchronous = FULL` does within COMMIT. So the event
 * loop, on which every hook of every agent waits, never waits for the disk. SQLite itself (`synchronous = NORMAL`)
 * ensures the order of log, checkpoint and database. The log stays the same file while a connection is open, and SQLite
 * has no locks on it that closing a second descriptor could drop.
 */
export const createWalSync = (path: string): WalSync => {
  let file: number | undefined
  return {
    sync: async () => {
      file ??= openSync(`${path}-wal`, 'r+')
      await flushFile(file)
    },
    close: () => {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

/** For stores that only need to survive the process: after a commit the kernel has the data. */
export const NO_SYNC: WalSync = { sync: async () => {}, close: () => {} }
