import { createHash } from 'node:crypto'
import { canonicalJson } from '../../protocol/canonical-json.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Step } from '../../protocol/step.ts'
import type { KeyList } from '../signatures/key-list.ts'
import type { Signed } from '../signatures/signed.ts'
import type { ApproveStatement, OverrideStatement, Statement } from '../signatures/statement.ts'
import { signerOf } from '../signatures/verify.ts'
import { isAhead } from './approval.ts'
import type { Approval } from './approval.ts'

/** A signed grant of a call: an answer to an approval, or an override. */
export type SignedGrant = Signed<ApproveStatement | OverrideStatement>

/** The context in which signatures are verified. */
export interface SignatureContext {
  readonly keys: KeyList
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Longest times that a signature may grant, in minutes. */
export interface GrantLimits {
  readonly expireMinutes: number
  readonly maxGrantMinutes: number
  readonly overrideMinutes: number
}

const MINUTE = 60_000

/** SHA-256, hex, of a call as displayed to a person. */
export const shownHash = ({
  host,
  agent,
  tool,
  cwd,
  call,
  masked = [],
  cut = [],
}: Pick<Approval, 'host' | 'agent' | 'tool' | 'cwd' | 'call' | 'masked' | 'cut'>): string =>
  createHash('sha256')
    .update(canonicalJson({ host, agent, tool, cwd: cwd ?? null, call, masked, cut } satisfies JsonObject))
    .digest('hex')

/** Why a signed statement with a time span is invalid now; `undefined` for a valid one. Throws nothing. */
export const signatureFault = (
  signed: Signed<Statement & { readonly until: number }> | undefined,
  { keys, now }: SignatureContext,
  minutes: number,
): string | undefined => {
  if (signed === undefined) return 'it is not signed'
  if (keys.keys.length === 0) return 'no key is enrolled'
  try {
    const { statement } = signed
    if (signerOf(keys.keys, signed) === undefined) return 'it is not signed with an enrolled key'
    if (statement.guard !== keys.guard) return 'it was signed for another guard'
    const { at, until } = statement
    if (!Number.isFinite(at) || !Number.isFinite(until) || until - at > minutes * MINUTE + 1)
      return 'it was signed for longer than the settings allow'
    if (isAhead(at, now)) return 'its signing time is in the future'
    return until <= now ? 'it has expired' : undefined
  } catch {
    return 'it cannot be read'
  }
}

const minutesOf = (statement: ApproveStatement | OverrideStatement, limits: GrantLimits): number => {
  if (statement.act === 'override') return limits.overrideMinutes
  return statement.standing ? limits.maxGrantMinutes : limits.expireMinutes
}

/** Why a stored grant is invalid for any call. Throws nothing. */
export const grantFault = (
  { id, kind, signed }: Approval,
  context: SignatureContext,
  limits: GrantLimits,
): string | undefined => {
  const statement = signed?.statement
  if (signed === undefined || statement === undefined) return 'it is not signed'
  if (statement.act !== (kind === 'override' ? 'override' : 'approve') || statement.approval !== id)
    return 'the signature covers another approval'
  return signatureFault(signed, context, minutesOf(statement, limits))
}

/** A call as signatures are compared with it. */
export interface CallMade {
  readonly step: Step
  /** Keyed hash of the call. */
  readonly digest: string
  /** {@link shownHash} of the call, as a person would see it now. */
  readonly shown: () => string
}

/** Why a signed statement is not about this call; `undefined` when it is. */
export const callFault = ({ statement }: SignedGrant, { step, digest, shown }: CallMade): string | undefined => {
  if (statement.call !== digest) return 'the signature covers another call'
  const { session } = step
  if (statement.act === 'override')
    return statement.session === session.id ? undefined : 'it was signed for another session'
  if (statement.shown !== shown()) return 'another call was shown to the person'
  if (statement.session === session.id) return undefined
  return statement.standing && statement.project !== null && statement.project === session.project
    ? undefined
    : 'it was signed for another session'
}
