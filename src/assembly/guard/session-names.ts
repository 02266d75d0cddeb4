import { hash } from 'node:crypto'
import type { Step } from '../../protocol/step.ts'
import { createNameMasker } from '../detection/secret-scan.ts'

/** Names that are kept in mind; hosts say the same one again and again. */
const KEPT = 1_000
/** Hexadecimal digits that tell two names apart whose masked forms are the same. */
const TOLD_APART = 16

/**
 * Renames the sessions whose names hold a secret: hosts make names of what callers and senders call themselves, and a
 * session's name stands in the trace, in the memory of sessions, and in what guardians elsewhere are told. The same name
 * is always renamed alike.
 */
export const createSessionNames = (): ((step: Step) => Step) => {
  const mask = createNameMasker()
  const known = new Map<string, string>()
  const nameOf = (id: string): string => {
    const before = known.get(id)
    if (before !== undefined) return before
    const masked = mask(id)
    const name = masked === id ? id : `${masked}~${hash('sha256', id).slice(0, TOLD_APART)}`
    known.set(id, name)
    for (const oldest of known.keys()) {
      if (known.size <= KEPT) break
      known.delete(oldest)
    }
    return name
  }
  return (step) => {
    const id = nameOf(step.session.id)
    return id === step.session.id ? step : { ...step, session: { ...step.session, id } }
  }
}
