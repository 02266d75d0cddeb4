import type { Effect, EffectKind, EffectTrait, Span, Target } from '../../protocol/evidence.ts'
import type { EffectBudget } from './analysis.ts'
import type { GuardRules } from './guard-rules.ts'
import type { Paths } from './paths.ts'
import type { Scratch } from './shell/state.ts'
import type { ParseSql } from './sql/sql-act.ts'
import { type SqlTeller, tellSql } from './sql/tell-sql.ts'

/** Where in the call an effect arises and how sure it is. */
export interface Place {
  readonly span?: Span
  readonly possible: boolean
  readonly background: boolean
}

export interface Draft {
  readonly kind: EffectKind
  readonly by: string
  readonly targets?: readonly Target[]
  readonly traits?: readonly EffectTrait[]
  readonly possible?: boolean
}

/** What one analysis works with: it gathers the effects and counts the work. */
export interface Engine {
  readonly paths: Paths
  readonly guard: GuardRules
  readonly scratch: Scratch
  readonly maxDepth: number
  emit(draft: Draft, place: Place): void
  /** Counts work; false once the budget is used up. */
  spend(nodes: number): boolean
  /** Counts text about to be read as code. */
  spendText(text: string): boolean
  /** Says what SQL text does. */
  tellSql(text: string, teller: SqlTeller): void
  /** Gives up: the analysis is incomplete. */
  exhaust(): void
  effects(): readonly Effect[]
  exhausted(): boolean
}

const keyOf = (effect: Effect): string =>
  `${effect.kind} ${effect.by} ${effect.certainty} ${effect.traits.join()} ${effect.span?.pointer} ${effect.span?.start} ${effect.targets
    .map((target) => (target.type === 'path' ? target.path + target.zone : JSON.stringify(target)))
    .join(' ')}`

const toEffect = (draft: Draft, place: Place): Effect => ({
  kind: draft.kind,
  targets: draft.targets ?? [],
  certainty: place.possible || draft.possible === true ? 'possible' : 'certain',
  traits: place.background ? [...(draft.traits ?? []), 'background'] : (draft.traits ?? []),
  ...(place.span ? { span: place.span } : {}),
  by: draft.by,
})

/** An engine for one analysis. */
export const createEngine = (paths: Paths, guard: GuardRules, budget: EffectBudget, parseSql?: ParseSql): Engine => {
  const found = new Map<string, Effect>()
  let nodes = budget.nodes
  let bytes = budget.bytes
  let spent = false
  const spend = (count: number): boolean => {
    nodes -= count
    if (nodes < 0) spent = true
    return !spent
  }
  const spendText = (text: string): boolean => {
    bytes -= text.length
    if (bytes < 0) spent = true
    return !spent
  }
  const add = (effect: Effect): void => {
    if (!spend(1 + effect.targets.length)) return
    const key = keyOf(effect)
    if (!found.has(key)) found.set(key, effect)
  }
  return Object.freeze({
    paths,
    guard,
    scratch: { files: new Map(), links: new Map() },
    maxDepth: budget.depth,
    emit: (draft: Draft, place: Place) => {
      const effect = toEffect(draft, place)
      add(effect)
      const touched = guard.touched(effect.kind, effect.targets)
      if (touched.length > 0) add({ ...effect, kind: 'guard.tamper', targets: touched })
    },
    spend,
    spendText,
    tellSql: (text: string, teller: SqlTeller) => {
      if (spendText(text)) tellSql(text, teller, parseSql)
    },
    exhaust: () => {
      spent = true
    },
    effects: () => [...found.values()],
    exhausted: () => spent,
  })
}
