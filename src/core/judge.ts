import { SallyportError } from '../errors/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Notice } from '../protocol/notice.ts'
import { isNoticeCode, operatorText } from '../protocol/notice.ts'
import { referenceOf } from '../protocol/reference.ts'
import type { Step } from '../protocol/step.ts'
import type { Guard, Outcome } from './guard.ts'
import type { HostPower } from './host-power.ts'

/** What came of asking the guard. `lost`: nobody may act on it, for it could not be kept. */
export type Judged =
  | { readonly outcome: 'decided'; readonly decided: Outcome }
  | { readonly outcome: 'lost'; readonly notice: Notice }

/** Why nothing may be acted on, in the operator's words. */
export const lostReason = ({ notice }: Extract<Judged, { outcome: 'lost' }>): string => operatorText(notice)

/** Keeps the decision in the trace, with what the host's protocol wants to stand beside it. Rejects when it is not kept. */
export type Keep = (beside?: JsonObject) => Promise<void>

/** Decides on a step and keeps the decision. Never rejects. */
export type StepJudge = (step: Step, power: HostPower) => Promise<Judged>

/**
 * The same for protocols that chain their records.
 * @param keeping runs `keep` in its own order, where the host's protocol chains what is kept; default: at once
 */
export type Judge = (
  step: Step,
  power: HostPower,
  keeping?: (keep: Keep, decided: Outcome) => Promise<void>,
) => Promise<Judged>

/**
 * Decides at once, for hosts whose hook waits for nobody; the decision is kept after the answer. One that could not be
 * kept is a fault, and from then on every answer is `lost` until a record is kept again. Never throws.
 */
export type JudgeNow = (step: Step, power: HostPower) => Judged

/** What a judge is made of. */
export interface JudgeOptions {
  /** The guard in force; another one after a reload. */
  readonly guard: () => Guard
  /** What of it answers at once; default: the same one, of which whoever has to wait counts as failed. */
  readonly atOnce?: () => Guard
  /** Resolves once the decision is durable, with all that depends on it, and rejects when it is not kept. */
  readonly keep: (decided: Outcome, beside?: JsonObject) => Promise<unknown>
  /** Told of every decision, before it is kept. */
  readonly decided?: (decided: Outcome) => void
  /** A fault that nobody outside should see the details of. */
  readonly fault: (error: unknown) => void
}

/** Both ways of asking a guard for a decision that is kept. */
export interface Judges {
  readonly judge: Judge
  readonly judgeNow: JudgeNow
}

const noticeOf = (error: unknown): Notice =>
  error instanceof SallyportError && isNoticeCode(error.code)
    ? { code: error.code, details: error.details }
    : { code: 'SP_GUARD_FAILED', details: { detail: 'its log has the details' } }

/** What is recorded can be named by those who were answered. */
const named = (decided: Outcome): Outcome => {
  const { host, session, id, at } = decided.step
  return { ...decided, reference: referenceOf(at, JSON.stringify([host, session.id, id])) }
}

/** No answer leaves before its record is kept (DESIGN 7); what cannot wait for it stops with the first that is not. */
export const createJudges = ({ guard, atOnce = guard, keep, decided: told, fault }: JudgeOptions): Judges => {
  /** Why the last record was not kept. */
  let broken: Notice | undefined
  const kept = async (decided: Outcome, beside?: JsonObject): Promise<void> => {
    try {
      await keep(decided, beside)
      broken = undefined
    } catch (error) {
      broken = noticeOf(error)
      throw error
    }
  }
  const lost = (error: unknown): Judged => {
    fault(error)
    return { outcome: 'lost', notice: noticeOf(error) }
  }
  return Object.freeze<Judges>({
    async judge(step, power, keeping = (keepIt) => keepIt()) {
      try {
        const decided = named(await guard().decide(step, power))
        told?.(decided)
        await keeping((beside) => kept(decided, beside), decided)
        return { outcome: 'decided', decided }
      } catch (error) {
        return lost(error)
      }
    },
    judgeNow(step, power) {
      try {
        const decided = named(atOnce().decideNow(step, power))
        told?.(decided)
        const before = broken
        kept(decided).catch(fault)
        return before === undefined ? { outcome: 'decided', decided } : { outcome: 'lost', notice: before }
      } catch (error) {
        return lost(error)
      }
    },
  })
}
