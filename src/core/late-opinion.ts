import type { Step } from '../protocol/step.ts'
import type { FailureKind } from '../protocol/verdict.ts'
import type { Opinion } from './guardian.ts'

/** The opinion of a guardian on a step that was already decided: it is only recorded. */
export interface LateOpinion {
  readonly guardian: string
  readonly version: string
  readonly step: Step
  readonly opinion: Opinion
  /** Milliseconds from the step to the opinion. */
  readonly tookMs: number
}

/** The cost of one question to a remote guardian. */
export type AskingCost =
  | {
      readonly what: 'asked'
      readonly tookMs: number
      /** Of all requests for it, retries included. */
      readonly bytes: number
      readonly requests: number
      /** As a model counted them, if it is one. */
      readonly tokens?: number
      readonly outcome: 'answered' | FailureKind
    }
  /** The same question was pending or recently answered, at no cost. */
  | { readonly what: 'joined' | 'remembered' }

/** Takes what asking a guardian cost. */
export type CountCost = (guardian: string, cost: AskingCost) => void
