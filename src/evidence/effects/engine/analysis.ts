import type { Effect, Observation, SideEffectClass } from '../../../protocol/evidence.ts'
import type { World } from '../../../protocol/world.ts'
import type { ParseSql } from '../sql/sql-act.ts'

/** What of the guard itself an agent must not touch. */
export interface GuardSurface {
  /** Files and folders, absolute, under every name they have: as written and with links resolved. */
  readonly paths: readonly string[]
  /** Process ids of the guard. */
  readonly pids: readonly number[]
  /** `host:port` each the guard listens on. */
  readonly addresses: readonly string[]
  /** Files, absolute, whose reader could speak for a host or for a person. */
  readonly secrets?: readonly string[]
  /** Programs and packages that the guard runs on, absolute: anybody may run or read them, and nobody changes them. */
  readonly programs?: readonly string[]
  /** Command lines of the guard's process. */
  readonly lines?: readonly string[]
}

/** Work one analysis may do (DESIGN 4.5): bytes of text read as code, syntax nodes and effects, levels of nesting. */
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

export interface EffectOptions {
  readonly world: World
  readonly guard: GuardSurface
  readonly budget: EffectBudget
  /** Parses PostgreSQL; without it SQL is read by its tokens alone. */
  readonly parseSql?: ParseSql
  /** Whether a text holds a secret; without it no file is looked into that is sent. */
  readonly holdsSecret?: (text: string) => boolean
  /** Told of the work that was done, in units of the budget: for tests of how it grows. */
  readonly counted?: (work: number) => void
  /** Side-effect classes of tools by the person's word; a name may end in `*`. */
  readonly tools?: ReadonlyMap<string, SideEffectClass>
}

/** What is known about a step from what it would do. */
export interface EffectAnalysis {
  readonly effects: readonly Effect[]
  /** Set for steps about a tool. */
  readonly sideEffect?: SideEffectClass
  /** True when the budget ran out: the effects are incomplete. */
  readonly exhausted: boolean
  readonly observations: readonly Observation[]
}
