import type { Change } from './watched.ts'

/** A state of a file or folder that counts as accepted. */
export interface AcceptedState {
  readonly sha256: string | null
  /** Text of the file, or the list of the folder's files. */
  readonly text?: string
}

/** Keeps what has been accepted and which changes are open, beyond the end of a guard. */
export interface AcceptedStates {
  accepted(path: string): AcceptedState | undefined
  accept(path: string, state: AcceptedState): void
  /** Every path with a stored state. */
  paths(): readonly string[]
  open(path: string): Change | undefined
  setOpen(path: string, change: Change | undefined): void
  /** Every open change. */
  allOpen(): readonly Change[]
  /** Notes that a call was refused. */
  setRefused(session: string, call: string): void
  isRefused(session: string, call: string): boolean
  root(session: string): string | undefined
  setRoot(session: string, root: string): void
}

/** Keeps them in memory, for guards that keep nothing and for tests. */
export const createMemoryStates = (): AcceptedStates => {
  const refused = new Set<string>()
  const [accepted, open, roots] = [
    new Map<string, AcceptedState>(),
    new Map<string, Change>(),
    new Map<string, string>(),
  ]
  return Object.freeze<AcceptedStates>({
    accepted: (path) => accepted.get(path),
    accept: (path, state) => {
      accepted.set(path, state)
    },
    paths: () => [...accepted.keys()],
    open: (path) => open.get(path),
    setOpen: (path, change) => {
      if (change === undefined) open.delete(path)
      else open.set(path, change)
    },
    allOpen: () => [...open.values()],
    setRefused: (session, call) => {
      refused.add(`${session} ${call}`)
    },
    isRefused: (session, call) => refused.has(`${session} ${call}`),
    root: (session) => roots.get(session),
    setRoot: (session, root) => {
      roots.set(session, root)
    },
  })
}
