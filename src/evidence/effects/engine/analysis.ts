import type { Effect, Observation, SideEffectClass } from '../../../protocol/evidence.ts'

/** Work one analysis may do: bytes of text read as code, syntax nodes and effects, levels of nesting. */
export interface EffectBudget {
  /** Questions to the machine, answered ones too; default `MOST_QUESTIONS`. */
  readonly questions?: number
  /** Nothing is cut short by itself: where a file needs more than is left, the whole analysis is exhausted. */
  readonly whole?: boolean
  readonly bytes: number
  readonly nodes: number
  readonly depth: number
}

/** A budget that ordinary calls never reach. */
export const DEFAULT_EFFECT_BUDGET: EffectBudget = { bytes: 1_000_000, nodes: 20_000, depth: 64 }

/** Questions that one analysis puts to the machine, known answers included: each is some microseconds. */
export const MOST_QUESTIONS = 24_000

/** What is known about a step from what it would do. */
export interface EffectAnalysis {
  readonly effects: readonly Effect[]
  /** Set for steps about a tool. */
  readonly sideEffect?: SideEffectClass
  /** True when the budget ran out: the effects are incomplete. */
  readonly exhausted: boolean
  readonly observations: readonly Observation[]
}
