import type { Effect, Observation, SideEffectClass } from '../../../protocol/evidence.ts'

/** Limits of the work of one analysis: bytes of text read as code, syntax nodes and effects, levels of nesting. */
export interface EffectBudget {
  /** Questions to the machine, repeated ones included; default `MOST_QUESTIONS`. */
  readonly questions?: number
  /** No file is cut short: if one needs more than is left, the whole analysis is exhausted. */
  readonly whole?: boolean
  readonly bytes: number
  readonly nodes: number
  readonly depth: number
}

/** A budget that ordinary calls never reach. */
export const DEFAULT_EFFECT_BUDGET: EffectBudget = { bytes: 1_000_000, nodes: 20_000, depth: 64 }

/** Limit of questions to the machine in one analysis, repeated ones included: each takes some microseconds. */
export const MOST_QUESTIONS = 24_000

/** The effects of a step. */
export interface EffectAnalysis {
  readonly effects: readonly Effect[]
  /** Set for steps with a tool. */
  readonly sideEffect?: SideEffectClass
  /** True when the budget ran out: the effects are incomplete. */
  readonly exhausted: boolean
  readonly observations: readonly Observation[]
}
