/** What of the guard itself an agent must not touch. */
export interface GuardSurface {
  /** Files and folders, absolute, under every name they have: as written and with links resolved. */
  readonly paths: readonly string[]
  /** Process ids of the guard. */
  readonly pids: readonly number[]
  /** `host:port` each the guard listens on. */
  readonly addresses: readonly string[]
  /** Files, absolute, whose reader can act as a host or as a person. */
  readonly secrets?: readonly string[]
  /** Programs and packages that the guard uses, absolute: they may be run and read, but not changed. */
  readonly programs?: readonly string[]
  /** Command lines of the guard's process. */
  readonly lines?: readonly string[]
}
