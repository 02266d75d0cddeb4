import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const GUARD_FILE = z.object({ pid: z.number() })

/** Process id of the guard that is recorded as running on a data folder; `undefined` if there is none. */
export const runningGuardPid = async (data: string): Promise<number | undefined> => {
  const text = await readFile(join(data, 'guard.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : GUARD_FILE.parse(JSON.parse(text)).pid
}

/** Ends the guard that a hook may have started on a data folder, so that no test leaves one behind. */
export const killLeftGuard = async (data: string): Promise<void> => {
  const pid = await runningGuardPid(data)
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
