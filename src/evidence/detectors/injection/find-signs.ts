import type { Channel } from '../../../protocol/step.ts'
import { createAnchorIndex } from '../anchors.ts'
import { compileRule } from '../rule.ts'
import type { InjectionRule } from './injection-rule.ts'

/** A rule's hit in a text. */
export interface Sign {
  readonly rule: InjectionRule
  readonly start: number
  readonly end: number
  readonly confidence: number
}

/** A foreign anchor by the first of its characters beyond ASCII, and how far into it that stands. */
interface ForeignAnchor {
  readonly anchor: string
  readonly offset: number
}

/** The first character beyond ASCII: a search for it is quicker than a look at each. */
const FOREIGN = /[\u0080-\uffff]/

/** Foreign anchors by that character: a text without one is read at the cost of looking. */
const byForeignUnit = (anchors: readonly string[]): ReadonlyMap<number, readonly ForeignAnchor[]> =>
  Map.groupBy(
    anchors.map((anchor) => {
      const offset = anchor.search(/[^ -~]/)
      if (offset === -1) throw new TypeError(`Not an anchor: ${anchor}`)
      return { anchor, offset }
    }),
    ({ anchor, offset }) => anchor.charCodeAt(offset),
  )

const isPlain = (anchor: string): boolean => /^[\x20-\x40\x5b-\x7e]{3,}$/.test(anchor)

/** Makes the search for the signs of all rules, which come sorted by their start: one pass for plain anchors, one for foreign ones. */
export const createSignFinder = (
  rules: readonly InjectionRule[],
): ((text: string, channel: Channel) => readonly Sign[]) => {
  const compiled = rules.map(compileRule)
  const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))]
  const rulesOf = new Map(
    anchors.map((anchor) => [anchor, compiled.filter(({ rule }) => rule.anchors.includes(anchor))] as const),
  )
  const plain = anchors.filter(isPlain)
  const foreign = byForeignUnit(anchors.filter((anchor) => !isPlain(anchor)))
  const index = createAnchorIndex(plain)
  return (text, channel) => {
    const signs: Sign[] = []
    const searchedTo = new Map<InjectionRule, number>()
    const tryAt = (anchor: string, at: number): void => {
      for (const one of rulesOf.get(anchor) ?? []) {
        const { rule } = one
        if (rule.except?.includes(channel) === true || at < (searchedTo.get(rule) ?? 0)) continue
        const hit = one.tryAt(text, at)
        if (hit === undefined) continue
        searchedTo.set(rule, hit.end)
        signs.push({ rule, ...hit })
      }
    }
    index.each(text, (anchor, at) => tryAt(plain[anchor] ?? '', at))
    searchedTo.clear()
    const first = text.search(FOREIGN)
    for (let i = first === -1 ? text.length : first; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit < 0x80) continue
      for (const { anchor, offset } of foreign.get(unit) ?? [])
        if (text.startsWith(anchor, i - offset) && i >= offset) tryAt(anchor, i - offset)
    }
    return signs.toSorted((a, b) => a.start - b.start)
  }
}
