import { describeError, SallyportError } from '../errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Step } from '../protocol/step.ts'
import type { Guard, Outcome } from './guard.ts'
import type { HostPower } from './host-power.ts'

/** What came of asking the guard. `lost`: nobody may act on it, for it could not be kept. */
export type Judged =
  | { readonly outcome: 'decided'; readonly decided: Outcome }
  | { readonly outcome: 'lost'; readonly reason: string }

/** Keeps the decision in the trace, with what the host's protocol wants to stand beside it. Rejects when it is not kept. */
export type Keep = (beside?: JsonObject) => Promise<void>

/**
 * Decides on a step and keeps the decision. Never rejects.
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

const reasonOf = (error: unknown): string =>
  error instanceof SallyportError
    ? error.message
    : describeError('SP_GUARD_FAILED', { detail: 'its log has the details' })

/** No answer leaves before its record is kept (DESIGN 7); what cannot wait for it stops with the first that is not. */
export const createJudges = ({ guard, atOnce = guard, keep, decided: told, fault }: JudgeOptions): Judges => {
  /** Why the last record was not kept. */
  let broken: string | undefined
  const kept = async (decided: Outcome, beside?: JsonObject): Promise<void> => {
    try {
      await keep(decided, beside)
      broken = undefined
    } catch (error) {
      broken = reasonOf(error)
      throw error
    }
  }
  const lost = (error: unknown): Judged => {
    fault(error)
    return { outcome: 'lost', reason: reasonOf(error) }
  }
  return Object.freeze<Judges>({
    async judge(step, power, keeping = (keepIt) => keepIt()) {
      try {
        const decided = await guard().decide(step, power)
        told?.(decided)
        await keeping((beside) => kept(decided, beside), decided)
        return { outcome: 'decided', decided }
      } catch (error) {
        return lost(error)
      }
    },
    judgeNow(step, power) {
      try {
        const decided = atOnce().decideNow(step, power)
        told?.(decided)
        const before = broken
        kept(decided).catch(fault)
        return before === undefined ? { outcome: 'decided', decided } : { outcome: 'lost', reason: before }
      } catch (error) {
        return lost(error)
      }
    },
  })
}
