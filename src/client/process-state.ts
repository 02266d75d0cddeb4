import { readFileSync } from 'node:fs'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The letter behind the program's name, which may hold brackets itself: `T` stopped by a signal, `t` held by a debugger. */
const STOPPED = /^.*\) [Tt] /s

/** Whether the system keeps a process from running; false where it does not tell (it does on Linux). */
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
