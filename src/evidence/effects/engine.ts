import { GAP_TRAITS } from '../../protocol/evidence.ts'
import type { Effect, EffectKind, EffectTrait, GapTrait, Span, Target } from '../../protocol/evidence.ts'
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
  /** In a file that was there before the call. */
  readonly onDisk?: boolean
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
  /** Records that a part of the call was not followed, and why; `what` names it as the person would look for it. */
  gap(how: GapTrait, what: string, by: string, place: Place): void
  /** Counts work; false once the budget is used up. */
  spend(nodes: number): boolean
  /** Counts text about to be read as code. */
  spendText(text: string): boolean
  /** Says what SQL text does. */
  tellSql(text: string, teller: SqlTeller): void
  /**
   * Follows a file that was there before the call. It has work of its own to spend: what is left of a long file when
   * that is gone stays unread, and `short` is called.
   */
  lend(work: () => void, short: () => void): void
  /** Counts text of files that the call runs; false once no more of them is read. */
  spendFile(characters: number): boolean
  /** Whether a module is met for the first time, and files are still read. */
  meets(path: string): boolean
  /**
   * Follows what is nested one level deeper, and gives `otherwise` with a gap where that would be deeper than the
   * stack of a program allows for.
   */
  descend<T>(work: () => T, otherwise: T, by: string, place: Place): T
  effects(): readonly Effect[]
  exhausted(): boolean
  /** Gives up: the analysis is incomplete. */
  exhaust(): void
  /** The work done so far, in units of the budget. */
  worked(): number
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

/** Syntax nodes and effects that the files run by one call may take together. */
const FILE_NODES = 16_000
/** Characters of all files that one call runs, and how many files: the record keeps them with the decision. */
const FILE_TEXT = 196_608
const MOST_FILES = 48

/** Characters of text read as code that are one unit of work. */
const CHARACTERS = 64

/** Characters of what a gap names. */
const LONGEST_NAME = 200

/** Levels of commands in commands, of whatever kind, that are followed: a default stack holds several times as many. */
const MOST_LEVELS = 256

const gapDraft = (how: GapTrait, what: string, by: string): Draft => ({
  kind: 'unresolved',
  by,
  targets: [{ type: 'unknown', raw: what.slice(0, LONGEST_NAME) }],
  traits: [how],
})

const OUT_OF_BUDGET = gapDraft('budget', 'more than is analysed of one call', 'analysis')

const WHOLE_CALL: Place = { possible: false, background: false }

const isOpen = (target: Target): boolean =>
  target.type === 'unknown' ||
  (target.type === 'path' && target.zone === 'unresolved') ||
  (target.type === 'host' && target.host === 'unresolved')

const isGap = (trait: EffectTrait): boolean => (GAP_TRAITS as readonly EffectTrait[]).includes(trait)

/** One variable of the environment, as programs use them to log in. */
const isOneVariable = (target: Target): boolean =>
  target.type === 'host' || (target.type === 'resource' && target.name.startsWith('environment:'))

/**
 * What of an effect in a file on disk is told: what is known of it. A person's script takes its folders from arguments
 * and its keys from the environment; that it runs, with what that leaves open, is told by `exec.run+script`.
 */
const toldOfFile = (draft: Draft): Draft | undefined => {
  const { kind, targets = [], traits = [] } = draft
  if (kind === 'unresolved' && traits.some(isGap)) return draft
  if (kind === 'unresolved' || kind === 'env.read' || traits.includes('maybe-empty')) return undefined
  if (kind === 'secret.send' && targets.every(isOneVariable)) return undefined
  const known = targets.filter((target) => !isOpen(target))
  return known.length === 0 && targets.length > 0 ? undefined : { ...draft, targets: known }
}

/** What an engine is made of. */
export interface EngineOptions {
  readonly budget: EffectBudget
  readonly parseSql?: ParseSql
  /** Whether what is counted elsewhere is used up. */
  readonly isSpent: () => boolean
}

/** An engine for one analysis. */
export const createEngine = (paths: Paths, guard: GuardRules, { budget, parseSql, isSpent }: EngineOptions): Engine => {
  const found = new Map<string, Effect>()
  let nodes = budget.nodes
  let bytes = budget.bytes
  let spent = false
  let worked = 0
  let ofFiles = Math.min(FILE_NODES, budget.nodes)
  let lending = false
  let [fileText, files] = [FILE_TEXT, MOST_FILES]
  const modules = new Set<string>()
  let level = 0
  /** What is told of work that ran out, which itself costs no work. */
  const runOut = (): void => {
    if (!spent && !lending) record(toEffect(OUT_OF_BUDGET, WHOLE_CALL))
    spent = true
  }
  const spend = (count: number): boolean => {
    nodes -= count
    worked += count
    if (nodes < 0 || isSpent()) runOut()
    return !spent
  }
  const spendText = (text: string): boolean => {
    bytes -= text.length
    worked += text.length / CHARACTERS
    if (bytes < 0) runOut()
    return !spent
  }
  const record = (effect: Effect): void => {
    const key = keyOf(effect)
    if (!found.has(key)) found.set(key, effect)
  }
  const add = (effect: Effect): void => {
    if (spend(1 + effect.targets.length)) record(effect)
  }
  const emit = (given: Draft, place: Place): void => {
    const draft = place.onDisk === true ? toldOfFile(given) : given
    if (draft === undefined) return
    const effect = toEffect(draft, place)
    add(effect)
    const touched = guard.touched(effect.kind, effect.targets)
    if (touched.length > 0) add({ ...effect, kind: 'guard.tamper', targets: touched })
  }
  return Object.freeze({
    paths,
    guard,
    scratch: { files: new Map(), links: new Map() },
    maxDepth: budget.depth,
    emit,
    gap: (how: GapTrait, what: string, by: string, place: Place) => emit(gapDraft(how, what, by), place),
    spend,
    spendText,
    tellSql: (text: string, teller: SqlTeller) => {
      if (spendText(text)) tellSql(text, teller, parseSql)
    },
    spendFile: (characters: number) => {
      fileText -= characters
      files--
      return fileText >= 0 && files >= 0
    },
    meets: (path: string) => fileText >= 0 && files >= 0 && modules.size < modules.add(path).size,
    lend: (work: () => void, short: () => void) => {
      if (lending || spent) return work()
      const own = { nodes, bytes }
      nodes = ofFiles
      lending = true
      work()
      ofFiles = Math.max(0, nodes)
      ;({ nodes, bytes } = own)
      lending = false
      const ranOut = spent
      if (ranOut && budget.whole === true) return
      spent = false
      if (ranOut) short()
    },
    descend: <T>(work: () => T, otherwise: T, by: string, place: Place): T => {
      if (level >= MOST_LEVELS) {
        emit(gapDraft('depth', `nested more than ${MOST_LEVELS} levels deep`, by), place)
        return otherwise
      }
      level++
      const given = work()
      level--
      return given
    },
    effects: () => [...found.values()],
    exhaust: () => runOut(),
    exhausted: () => spent || isSpent(),
    worked: () => worked,
  })
}
