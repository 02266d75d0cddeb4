import { hash } from 'node:crypto'
import { createBoundedMap } from '../../bounded/bounded-map.ts'
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
  const known = createBoundedMap<string, string>({ most: KEPT })
  const rename = (id: string): string => {
    const masked = mask(id)
    return masked === id ? id : `${masked}~${hash('sha256', id).slice(0, TOLD_APART)}`
  }
  return (step) => {
    const id = known.getOr(step.session.id, () => rename(step.session.id))
    return id === step.session.id ? step : { ...step, session: { ...step.session, id } }
  }
}
