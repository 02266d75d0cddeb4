import type { SideEffectClass } from '../../../src/protocol/evidence.ts'
import { DEVELOPMENT } from './labels-development.ts'
import { HELD_OUT } from './labels-held-out.ts'
import { LATER } from './labels-later.ts'

/** The class of a tool according to a person who read its definition. */
export interface LabelledTool {
  readonly name: string
  /** Classes that are right: more than one where readers may differ. */
  readonly classes: readonly SideEffectClass[]
  /** It deletes, or clears. */
  readonly deletes: boolean
}

/** `development`: used while the classifier was improved. `held-out`: servers of other makers. */
export type Half = 'development' | 'held-out'

/** `later`: further tools of servers of both halves, drawn and labelled after the judging was finished. */
export type LabelSet = Half | 'later'

const LETTERS: Readonly<Record<string, SideEffectClass>> = {
  r: 'read_only',
  l: 'local_write',
  w: 'external_write',
  m: 'communication',
  $: 'financial',
  x: 'code_execution',
  p: 'privileged',
}

const labelled = (text: string): LabelledTool => {
  const colon = text.lastIndexOf(':')
  const letters = text.slice(colon + 1)
  return {
    name: text.slice(0, colon),
    classes: letters.split('').flatMap((letter) => LETTERS[letter] ?? []),
    deletes: letters.endsWith('!'),
  }
}

const TABLES: Readonly<Record<LabelSet, Readonly<Record<string, string>>>> = {
  development: DEVELOPMENT,
  'held-out': HELD_OUT,
  later: LATER,
}

/** The labelled tools of a set, by `name@version` of their server. */
export const labelsOf = (set: LabelSet): ReadonlyMap<string, readonly LabelledTool[]> =>
  new Map(Object.entries(TABLES[set]).map(([server, tools]) => [server, tools.split(' ').map(labelled)]))
