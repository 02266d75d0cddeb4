import { SallyportError } from '../../errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Approval, ApprovalAnswer } from './approval.ts'
import { eventOf, isOver } from './approval.ts'
import { expire } from './desk.ts'
import type { Outbox } from './outbox.ts'
import { personsWords } from './persons-words.ts'
import type { MaskWords } from './persons-words.ts'
import type { ApprovalStore, ApprovalWrites } from './store.ts'

/** What a person says of a pending approval. */
export type Answer =
  | {
      readonly answer: 'approve'
      readonly by: string
      readonly reason: string
      /** Grants every such call in the project for so long; absent: this call, once. */
      readonly forMinutes?: number
      /** Other arguments to run the call with. */
      readonly input?: JsonObject
    }
  /** `revoke`: what was granted holds no longer. */
  | { readonly answer: 'deny' | 'revoke'; readonly by: string; readonly reason: string }

/** What the person's side of approvals is made of. */
export interface AnsweringOptions {
  readonly store: ApprovalStore
  readonly outbox: Outbox
  /** Masks secrets; what it would change must not be kept. */
  readonly mask: MaskWords
  readonly now: () => number
  readonly limits: () => { readonly expireMinutes: number; readonly maxGrantMinutes: number }
}

/** The one way to answer, for commands and for the server. */
export interface Answering {
  /** Resolves once the answer stands in the trace. @throws SallyportError SP_APPROVAL_* when it cannot be given */
  answer(id: string, answer: Answer): Promise<Approval>
}

const MINUTE = 60_000
/** UTF-16 code units. */
const LONGEST_INPUT = 1_048_576
/** What the masker leaves in place of what it took out. */
const MASK = /\[masked:[a-z0-9-]{1,48}\]/

const bad = (detail: string): SallyportError => new SallyportError('SP_APPROVAL_INPUT', { detail })

/** What became of it, in words for whoever came second. */
export const settledAs = ({ state, answer, expiresAt }: Approval): string => {
  const at = (time: number): string => `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`
  if (state === 'expired') return `nobody answered, or used the grant, before ${at(expiresAt)}`
  const who = answer === undefined ? '' : ` by ${answer.by} at ${at(answer.at)}`
  return state === 'used' ? `granted${who}, and used` : `${state}${who}`
}

/** What is left where a call was cut for the person. */
const CUT = '[sallyport cut '

const checkInput = (input: JsonObject, approval: Approval, mask: AnsweringOptions['mask']): void => {
  if (!('tool' in approval.call)) throw bad('only calls of tools have arguments that can be edited')
  const text = JSON.stringify(input)
  if (text.length > LONGEST_INPUT) throw bad(`the arguments may take ${LONGEST_INPUT} characters`)
  if (MASK.test(text)) throw bad('the arguments hold a mask, behind which the true value is not known; write them out')
  if ((approval.cut ?? []).length > 0 && text.includes(CUT))
    throw bad('the arguments hold a mark where the call was cut; write all of them out')
  if (mask(input).masked.length > 0)
    throw bad('the arguments hold a secret or personal data, which must not be kept; name a variable or file instead')
}

const checkTime = (minutes: number, max: number): void => {
  if (!Number.isFinite(minutes) || minutes <= 0) throw bad('a grant lasts for more than no time')
  if (minutes > max) throw bad(`a grant lasts for at most ${max} minutes (\`approvals.maxGrantMinutes\`)`)
}

/** Makes the person's side. */
export const createAnswering = (options: AnsweringOptions): Answering => {
  const { store, outbox, mask, now } = options

  const grant = (
    writes: ApprovalWrites,
    approval: Approval,
    given: Extract<Answer, { answer: 'approve' }>,
    at: number,
  ): Approval => {
    const { by, reason, forMinutes, input } = given
    const { expireMinutes, maxGrantMinutes } = options.limits()
    if (forMinutes !== undefined) checkTime(forMinutes, maxGrantMinutes)
    if (input !== undefined) checkInput(input, approval, mask)
    const answer: ApprovalAnswer = { at, by, reason, via: 'sallyport' }
    const granted: Approval = {
      ...approval,
      state: 'granted',
      answer,
      standing: forMinutes !== undefined,
      expiresAt: at + (forMinutes ?? expireMinutes) * MINUTE,
      ...(input === undefined ? {} : { input }),
    }
    writes.put(granted)
    const how = { by, reason, via: 'sallyport', until: granted.expiresAt, once: !granted.standing }
    writes.note(eventOf('ApprovalGranted', granted, at, input === undefined ? how : { ...how, edited: input }))
    return granted
  }

  const deny = (writes: ApprovalWrites, approval: Approval, given: Answer, at: number): Approval => {
    const { by, reason } = given
    const denied: Approval = { ...approval, state: 'denied', answer: { at, by, reason, via: 'sallyport' } }
    writes.put(denied)
    const how = { by, reason, via: 'sallyport' }
    writes.note(eventOf('ApprovalDenied', denied, at, approval.state === 'granted' ? { ...how, revoked: true } : how))
    return denied
  }

  /** An error is given back, not thrown: what was found expired on the way stays so. */
  const settle = (writes: ApprovalWrites, id: string, given: Answer): Approval | SallyportError => {
    const approval = writes.get(id)
    if (approval === undefined) return new SallyportError('SP_APPROVAL_UNKNOWN', { id })
    const at = now()
    const over = isOver(approval, at)
    if (over) expire(writes, approval, at)
    const state = settledAs(over ? { ...approval, state: 'expired' } : approval)
    const open = given.answer === 'revoke' ? 'granted' : 'pending'
    if (given.answer === 'revoke' && approval.state === 'pending') return bad('nothing was granted yet; deny it')
    if (over || approval.state !== open) return new SallyportError('SP_APPROVAL_SETTLED', { id, state })
    return given.answer === 'approve' ? grant(writes, approval, given, at) : deny(writes, approval, given, at)
  }

  return Object.freeze<Answering>({
    async answer(id, given) {
      const words = personsWords(given, mask)
      const result = store.transact((writes) => settle(writes, id, { ...given, ...words }))
      await outbox.send()
      if (result instanceof SallyportError) throw result
      return result
    },
  })
}
