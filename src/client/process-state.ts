import { readFileSync } from 'node:fs'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/**
 * The letter after the program's name, which may contain brackets itself: `T` stopped by a signal, `t` by a debugger.
 */
const STOPPED = /^.*\) [Tt] /s

/** Whether the system prevents a process from running; false where it does not report that (Linux does). */
export const isStopped = (pid: number, proc = '/proc'): boolean => STOPPED.test(read(`${proc}/${pid}/stat`))

/** The process that its file names as the guard, as far as the system shows it. */
export interface GuardProcess {
  readonly pid: number
  /** `1234`, or `1234, which is stopped`. */
  readonly words: string
}

/** @param file the guard's `guard.json` */
export const guardProcess = (file: string): GuardProcess | undefined => {
  const pid = Number(/"pid":\s*(\d{1,10})/.exec(read(file))?.[1])
  return Number.isInteger(pid) ? { pid, words: isStopped(pid) ? `${pid}, which is stopped` : String(pid) } : undefined
}
