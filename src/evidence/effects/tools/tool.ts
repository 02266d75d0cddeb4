import type { SideEffectClass } from '../../../protocol/evidence.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import type { ToolRef } from '../../../protocol/step.ts'
import type { Engine, Place } from '../engine/engine.ts'

/** A call of a host's tool, as its row sees it. */
export interface ToolUse {
  readonly tool: ToolRef
  readonly input: JsonObject
  readonly engine: Engine
  /** The place of an input member, for effects that come from it. */
  at(member: string): Place
  /** A member that is a string, or undefined. */
  text(member: string): string | undefined
}

/** The arguments of a call and the effects it has, as in an `Example`, in the world of the tests. */
export type ToolExample = readonly [input: JsonObject, ...effects: string[]]

/** What a tool does for a value of its argument `action`. */
export interface ToolAction {
  readonly names: readonly string[]
  readonly sideEffect: SideEffectClass
  readonly run: (use: ToolUse) => void
}

/** One row of a host's tool table: what calling these tools does. */
export interface ToolRow {
  readonly names: readonly string[]
  readonly sideEffect: SideEffectClass
  /** Members without which the tool does nothing; each must be a string. */
  readonly needs?: readonly string[]
  /** Members that describe the call without changing it; the row does not see them. */
  readonly remarks?: readonly string[]
  /** What the tool does for each `action`; the row itself handles other actions, or none. */
  readonly actions?: readonly ToolAction[]
  readonly examples?: readonly ToolExample[]
  readonly run: (use: ToolUse) => void
}

/** For calls that have no effects beyond their side-effect class. */
export const emitNothing = (): void => undefined

/** The place of a text at a JSON pointer of the payload. */
export const placeOfText = (pointer: string, text: string): Place => ({
  span: { pointer, start: 0, end: text.length },
  possible: false,
  background: false,
})

/** Arguments read of one call. */
export const MOST_LEAVES = 2_000

/** Deeper than the server accepts a body: unread content would go undetected. */
const DEEPEST = 1_000

/** Every string and number in a JSON value, with its pointer. */
export const leavesIn = (
  value: Json,
  pointer: string,
): readonly (readonly [pointer: string, leaf: string | number])[] => {
  const found: (readonly [string, string | number])[] = []
  const visit = (one: Json, at: string, depth: number): void => {
    if (depth > DEEPEST || found.length >= MOST_LEAVES) return
    if (typeof one === 'string' || typeof one === 'number') found.push([at, one])
    else if (Array.isArray(one))
      for (const [index, item] of one.entries()) visit(item as Json, `${at}/${index}`, depth + 1)
    else if (one !== null && typeof one === 'object')
      for (const [name, item] of Object.entries(one))
        visit(item, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1)
  }
  visit(value, pointer, 0)
  return found
}
