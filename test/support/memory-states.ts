import type { AcceptedState, AcceptedStates } from '../../src/integrity/accepted-states.ts'
import type { Change } from '../../src/integrity/watched.ts'

/** Accepted states that are kept in memory alone. */
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
