import { GAP_TRAITS } from '../../../protocol/evidence.ts'
import type { Effect, EffectKind, EffectTrait, GapTrait, Span, Target } from '../../../protocol/evidence.ts'
import type { EffectBudget } from './analysis.ts'
import type { GuardRules } from '../guard/guard-rules.ts'
import type { PathTarget, Paths } from '../places/paths.ts'
import type { Scratch } from './state.ts'

/** Where in the call an effect arises, and how certain it is. */
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

/** Receives the effects of SQL text. */
export interface SqlEmitter {
  emit(kind: EffectKind, traits?: readonly EffectTrait[]): void
  /** A file of the database's machine is read. */
  read(path: string): void
  write(path: string): void
  /** A program is run on the database's machine; `undefined` is one that is not known. */
  run(command: string | undefined): void
  /** Code that can do what a program can is run or loaded there: out of a file, by its name, or as it is written here. */
  code(subject: string | undefined, language: 'python' | 'perl' | undefined): void
  /** Something is fetched from another machine, or sent to it. */
  reach(kind: 'net.fetch' | 'net.send', place: string): void
  /** SQL that is composed at run time. */
  hidden(): void
}

/** Follows shell code and emits its effects to the given engine. */
export type FollowCode = (code: string, engine: Engine) => void

/**
 * Emits the effects of the steps that a change adds to a workflow file.
 * @param texts the one text that is written, or pairs of what was there and what stands there now
 */
export type EmitWorkflow = (
  engine: Engine,
  place: Place,
  by: string,
  target: PathTarget,
  texts: readonly string[],
  follow: FollowCode,
) => void

/** Files that a call runs, and what these bring in: each sort has its own work, so that none of one starves the other. */
export type FileSort = 'script' | 'module'

/** Collects the effects of one analysis and counts its work. */
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
  /** Whether the text of a file contains a secret; the text itself is not recorded. */
  holdsSecret(path: string): boolean
  /** Emits the effects of SQL text. */
  emitSql(text: string, emitter: SqlEmitter): void
  /** Reads a file for workflows; it is given the engine that it tells. */
  readonly emitWorkflow: EmitWorkflow
  /**
   * Follows a file that was there before the call. It has work of its own to spend: what is left of a long file when
   * that is gone stays unread, and `short` is called.
   */
  lend(work: () => void, short: () => void, of?: FileSort): void
  /** Counts text of files that the call runs; false once no more of them is read. */
  spendFile(characters: number, of?: FileSort): boolean
  /** Whether a module is met for the first time, and files are still read. */
  meets(path: string): boolean
  /**
   * Follows what is nested one level deeper, and gives `otherwise` with a gap where that would be deeper than the
   * stack of a program allows for.
   */
  descend<T>(work: () => T, otherwise: T, by: string, place: Place): T
  /** Follows something by itself: gives what it would do, and leaves nothing behind. */
  apart(work: () => void): readonly Effect[]
  /** Takes in effects that were found apart. */
  take(effects: readonly Effect[]): void
  effects(): readonly Effect[]
  /** How many effects are known. */
  count(): number
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
/** Characters of all files of a sort, and how many files: the record keeps them with the decision. */
export const FILE_TEXT = 196_608
const MOST_FILES = 48

/** Characters of text read as code that are one unit of work. */
const CHARACTERS = 64

/** Characters of what a gap names. */
const LONGEST_NAME = 200

/** Units of work that looking for secrets in a file takes. */
const LOOKED_AT = 64
const HOLDS = 'secret'

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
  readonly emitSql: (text: string, emitter: SqlEmitter) => void
  readonly emitWorkflow: EmitWorkflow
  readonly holdsSecret?: (text: string) => boolean
  /** Whether what is counted elsewhere is used up. */
  readonly isSpent: () => boolean
}

/** An engine for one analysis. */
export const createEngine = (
  paths: Paths,
  guard: GuardRules,
  { budget, emitSql, emitWorkflow, holdsSecret, isSpent }: EngineOptions,
): Engine => {
  let found = new Map<string, Effect>()
  let nodes = budget.nodes
  let bytes = budget.bytes
  let spent = false
  let worked = 0
  const left = { script: Math.min(FILE_NODES, budget.nodes), module: Math.min(FILE_NODES, budget.nodes) }
  let lending: FileSort | undefined
  const read = { script: { text: FILE_TEXT, files: MOST_FILES }, module: { text: FILE_TEXT, files: MOST_FILES } }
  const modules = new Set<string>()
  const scratch: Scratch = { files: new Map(), links: new Map() }
  let level = 0
  /** What is told of work that ran out, which itself costs no work. */
  const runOut = (): void => {
    if (!spent && lending === undefined) record(toEffect(OUT_OF_BUDGET, WHOLE_CALL))
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
    scratch,
    maxDepth: budget.depth,
    emit,
    gap: (how: GapTrait, what: string, by: string, place: Place) => emit(gapDraft(how, what, by), place),
    spend,
    spendText,
    emitSql: (text: string, emitter: SqlEmitter) => {
      if (spendText(text)) emitSql(text, emitter)
    },
    emitWorkflow,
    holdsSecret: (path: string) => {
      if (holdsSecret === undefined || !spend(LOOKED_AT)) return false
      const answer = paths.world.conceal(path, (text) => (holdsSecret(text) ? HOLDS : 'plain'))
      return answer?.endsWith(` ${HOLDS}`) === true
    },
    spendFile: (characters: number, of: FileSort = 'script') => {
      read[of].text -= characters
      read[of].files--
      return read[of].text >= 0 && read[of].files >= 0
    },
    meets: (path: string) => read.module.text >= 0 && read.module.files >= 0 && modules.size < modules.add(path).size,
    lend: (work: () => void, short: () => void, of: FileSort = 'script') => {
      if (spent || lending === 'module' || lending === of) return work()
      const [own, outer] = [{ nodes, bytes }, lending]
      nodes = left[of]
      lending = of
      work()
      left[of] = Math.max(0, nodes)
      ;({ nodes, bytes } = own)
      lending = outer
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
    apart: (work: () => void) => {
      const [all, written, links] = [found, [...scratch.files], [...scratch.links]]
      found = new Map()
      work()
      const own = [...found.values()]
      found = all
      scratch.files.clear()
      scratch.links.clear()
      for (const [path, value] of written) scratch.files.set(path, value)
      for (const [path, to] of links) scratch.links.set(path, to)
      return own
    },
    take: (effects: readonly Effect[]) => {
      for (const effect of effects) add(effect)
    },
    effects: () => [...found.values()],
    count: () => found.size,
    exhaust: () => runOut(),
    exhausted: () => spent || isSpent(),
    worked: () => worked,
  })
}
