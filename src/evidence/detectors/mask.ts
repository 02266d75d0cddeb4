import type { Edit } from '../../protocol/edit.ts'
import type { Finding } from '../../protocol/evidence.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isArray } from '../../protocol/json.ts'
import { createKnownClean } from './known-clean.ts'
import type { MaskSelection } from './text/mask-text.ts'
import { DEFAULT_MASKED, isSelected, maskFor, maskRanges, maskText } from './text/mask-text.ts'
import type { Scanner } from './scanner.ts'
import type { Place } from './walk.ts'
import { pointerOf } from './walk.ts'

export type { MaskSelection } from './text/mask-text.ts'
export { maskText } from './text/mask-text.ts'

/**
 * The edits that mask these findings, one a pointer. A finding in a member's name has no edit: no text range reaches
 * it, so the step keeps its finding, and whoever asked for masking sees it again on the recheck.
 */
export const maskEdits = (findings: readonly Finding[], selection: MaskSelection = DEFAULT_MASKED): readonly Edit[] => {
  const wanted = findings.filter((finding) => finding.span.key !== true && isSelected(selection, finding))
  return [...Map.groupBy(wanted, ({ span }) => span.pointer)].map(([pointer, group]) => ({
    kind: 'ranges',
    pointer,
    ranges: maskRanges(
      group.map(({ category, type, span }) => ({ category, type, start: span.start, end: span.end })),
      selection,
    ),
  }))
}

/** A value fit to be written down, and the pointers (into that value) of what was masked in it. */
interface MaskedValue {
  readonly value: JsonObject
  readonly masked: readonly string[]
}

/** Masks what is to be written to a trace. */
export type Masker = (value: JsonObject) => MaskedValue

/** Stands for a text that the scanner's budget did not reach: not seen is not shown. */
const UNSEEN = maskFor('unscanned')

/** A name that no member has yet, so that two masked names do not become one member. */
const freeName = (target: object, name: string): string => {
  if (!Object.hasOwn(target, name)) return name
  for (let number = 2; ; number++) if (!Object.hasOwn(target, `${name}#${number}`)) return `${name}#${number}`
}

/** Sets a member whatever its name; a plain assignment to `__proto__` would be lost. */
const setMember = (target: object, name: string, value: unknown): void => {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

interface Task {
  readonly from: Json
  readonly place: Place
  /** Names that tell what the value is: the one in the original and, where that was masked, the one in the copy. */
  readonly names: readonly (string | undefined)[]
  readonly put: (value: Json) => void
}

/**
 * Makes the function that everything passes before it is written to a trace: masks values and member names. Gives the
 * same object back when there is nothing to mask, without a copy. Texts beyond the scanner's budget are masked whole.
 * @param selection what to mask; default: secrets, cards, SSNs, IBANs, e-mail addresses, phone numbers
 * @param before a scanner that sees all that `scanner` sees, and has seen most texts already
 */
export const createMasker = (
  scanner: Scanner,
  selection: MaskSelection = DEFAULT_MASKED,
  before?: Pick<Scanner, 'isKnownClean'>,
): Masker => {
  const isKnownClean = createKnownClean((name, text) => {
    if (before?.isKnownClean(name, text) === true) return true
    const { matches, exhausted } = scanner.scanNamed(name, text, 'tool')
    return !exhausted && !matches.some((match) => isSelected(selection, match))
  })
  return (value) => {
    if (isKnownClean(value)) return { value, masked: [] }
    const scan = scanner.scanValue(value, 'tool')
    const isClean = !scan.exhausted && !scan.findings.some((finding) => isSelected(selection, finding))
    return isClean ? { value, masked: [] } : rebuild(scanner, selection, value)
  }
}

/** Copies a value with every text masked. A text that the budget has no room for is taken as unseen, and only that one. */
const rebuild = (scanner: Scanner, selection: MaskSelection, root: JsonObject): MaskedValue => {
  const masked: string[] = []
  let result: Json = null
  let room = scanner.budgetBytes
  const maskOne = (whole: string, names: readonly (string | undefined)[]): string => {
    if (whole.length > room) return UNSEEN
    room -= whole.length
    return names.reduce<string>(
      (text, name) => maskText(text, scanner.scanNamed(name, text, 'tool').matches, selection),
      whole,
    )
  }
  const open: Task[] = [{ from: root, place: {}, names: [undefined], put: (copy) => (result = copy) }]
  for (let task = open.pop(); task !== undefined; task = open.pop()) {
    const { from, place, names, put } = task
    if (typeof from === 'string') {
      const text = maskOne(from, names)
      if (text !== from) masked.push(pointerOf(place))
      put(text)
    } else if (isArray(from)) {
      const copy: Json[] = from.map(() => null)
      put(copy)
      for (let i = from.length - 1; i >= 0; i--)
        open.push({
          from: from[i] ?? null,
          place: { parent: place, token: String(i) },
          names,
          put: (one) => (copy[i] = one),
        })
    } else if (typeof from === 'object' && from !== null) {
      const copy = {}
      put(copy)
      const members: Task[] = []
      for (const key of Object.keys(from)) {
        const keyText = maskOne(key, [undefined])
        const newKey = freeName(copy, keyText)
        const here: Place = { parent: place, token: newKey }
        if (keyText !== key) masked.push(pointerOf(here))
        setMember(copy, newKey, null)
        const telling = keyText === key ? [key] : [key, keyText]
        members.push({
          from: from[key] ?? null,
          place: here,
          names: telling,
          put: (one) => setMember(copy, newKey, one),
        })
      }
      for (const member of members.toReversed()) open.push(member)
    } else put(from)
  }
  return { value: result as unknown as JsonObject, masked: [...new Set(masked)] }
}
