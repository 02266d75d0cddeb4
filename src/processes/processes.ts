/** One process, and never a later one with the same id. */
export interface ProcessRef {
  readonly pid: number
  /** Start time, as the system counts; with the id it identifies one process until the machine restarts. */
  readonly started: string
  /** Identifies the run of the machine since its last restart. */
  readonly boot: string
}

/** The process at the other end of a connection from this machine. */
export interface Caller {
  /** Whether a process has the other end. */
  isHeldBy(process: ProcessRef): boolean
  /**
   * The process at the other end; `undefined` where it is not visible.
   * @param hint checked first
   */
  holder(hint?: number): ProcessRef | undefined
}

/** The two ends of a TCP connection, by their ports on this machine. */
export interface Ports {
  /** Ours. */
  readonly local: number
  /** The caller's. */
  readonly remote: number
}

/** The processes of this machine, as far as its system shows them. */
export interface Processes {
  /** The caller of a connection; searched on request only, and cached. */
  callerAt(ports: Ports): Caller
  isAlive(process: ProcessRef): boolean
  /** Its parent process; `undefined` for the first one, and if the parent has ended. */
  parentOf(process: ProcessRef): ProcessRef | undefined
  /** The name of its program, such as `bash`. */
  programOf(process: ProcessRef): string | undefined
}

/** Whether two are the same process. */
export const isSameProcess = (one: ProcessRef, other: ProcessRef): boolean =>
  one.pid === other.pid && one.started === other.started && one.boot === other.boot
