import type { Match } from './detector.ts'
import { DEFAULT_MASKED, isCutOut, isSelected, maskRanges } from './text/mask-text.ts'
import { withoutOverlaps } from './overlap.ts'

/** Looks after which a text is left as it is; real texts need one a view, to see that nothing is left. */
const LOOKS = 10

const SEVERITIES = ['critical', 'high', 'medium', 'low']

/** Graver first, then surer: the order in which overlapping matches of several detectors give the name. */
const rank = ({ severity, confidence }: Match): number => SEVERITIES.indexOf(severity) + (1 - confidence) / 2

interface Masked {
  readonly text: string
  /** Where an offset of the masked text lies in the original; offsets inside a mask give its near or far edge. */
  readonly toOriginal: (offset: number, edge: 'start' | 'end') => number
}

/** How many pieces begin before this offset, by halving: there may be as many as a text has words. */
const countBefore = (pieces: readonly { readonly at: number }[], offset: number): number => {
  let low = 0
  let high = pieces.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pieces[middle]?.at ?? Infinity) < offset) low = middle + 1
    else high = middle
  }
  return low
}

/** What masking puts something else in place of, whatever the policy, because it must not be seen: a value. */
const isValue = ({ category }: Match): boolean => category === 'secret' || category === 'pii'

/** What hides itself or other text. */
const isHidden = ({ category }: Match): boolean => category === 'hidden_text'

const mask = (text: string, matches: readonly Match[]): Masked => {
  const pieces: { readonly at: number; readonly length: number; readonly start: number; readonly end: number }[] = []
  let result = ''
  let from = 0
  for (const { start, end, text: replacement } of maskRanges(matches, ['secret', 'pii', 'hidden_text'])) {
    result += text.slice(from, start)
    pieces.push({ at: result.length, length: replacement.length, start, end })
    result += replacement
    from = end
  }
  const toOriginal = (offset: number, edge: 'start' | 'end'): number => {
    // A stretch begins after what was cut out just before it, and ends before what was cut out just behind it.
    const piece = pieces[countBefore(pieces, edge === 'start' ? offset + 1 : offset) - 1]
    if (piece === undefined) return offset
    if (offset < piece.at + piece.length) return edge === 'start' ? piece.start : piece.end
    return offset - piece.at - piece.length + piece.end
  }
  return { text: result + text.slice(from), toOriginal }
}

const keyOf = ({ category, type, start, end }: Match): string => `${category}:${type}:${start}:${end}`

const byPlace = (a: Match, b: Match): number => a.start - b.start || a.end - b.end

/** What is looked for: what is masked, since a mask may uncover it, or everything. */
export type Scope = 'masks' | 'everything'

/** What the detectors find in a text, in any order. */
type Detect<M> = (text: string, scope: Scope) => readonly M[]

/**
 * Longest text that is also looked at with only some of its values masked. What that brings to light stands between a
 * value that is masked and one that is not; in longer texts, which hold values of every kind, it is not worth two looks.
 */
const MIXED = 32_768

/**
 * What a text looks like to whoever masks little, more or all of it: secrets alone, what is masked by default, every
 * value, what shows nothing too, words that are hidden too. Each view takes out all that the one before it does.
 */
const VIEWS: readonly {
  readonly isGone: (match: Match) => boolean
  readonly scope: Scope
  /** What shows nothing is gone as well. */
  readonly cuts?: true
  /** UTF-16 code units of the longest text that is looked at so. */
  readonly longest?: number
}[] = [
  { isGone: ({ category }) => category === 'secret', scope: 'masks', longest: MIXED },
  { isGone: (match) => isValue(match) && isSelected(DEFAULT_MASKED, match), scope: 'masks', longest: MIXED },
  { isGone: isValue, scope: 'masks' },
  // What shows nothing takes words of every kind apart.
  { isGone: (match) => isValue(match) || isCutOut(match), scope: 'everything', cuts: true },
  { isGone: (match) => isValue(match) || isHidden(match), scope: 'masks', cuts: true },
]

/** What has been found so far. */
interface Found<M> {
  values: readonly M[]
  readonly others: M[]
}

/** Stretches that are known, sorted and apart, and where they begin. */
interface Cover {
  readonly kept: readonly Match[]
  readonly starts: readonly { readonly at: number }[]
}

/**
 * Tells whether something of the same category that is no less grave was found in a place: windows of a text move when it
 * is masked, so what overlaps is the same again. What is graver without the characters that took it apart is new.
 */
const createCover = (found: readonly Match[]): ((match: Match) => boolean) => {
  const covers = new Map<string, Cover>()
  const coverFor = ({ category, severity }: Match): Cover => {
    const key = `${category}:${severity}`
    const known = covers.get(key)
    if (known !== undefined) return known
    const least = SEVERITIES.indexOf(severity)
    const alike = found.filter((one) => one.category === category && SEVERITIES.indexOf(one.severity) <= least)
    const kept = withoutOverlaps(alike, rank)
    const cover = { kept, starts: kept.map(({ start }) => ({ at: start })) }
    covers.set(key, cover)
    return cover
  }
  return (match) => {
    const { kept, starts } = coverFor(match)
    const last = kept[countBefore(starts, match.end) - 1]
    return last !== undefined && last.end > match.start
  }
}

/** A text with something masked, and what is found in that. */
interface Look<M> extends Masked {
  readonly more: readonly M[]
}

const lookAt = <M extends Match>(text: string, gone: readonly Match[], scope: Scope, detect: Detect<M>): Look<M> => {
  const masked = mask(text, gone)
  return { ...masked, more: detect(masked.text, scope) }
}

/**
 * The masked text of a look with what shows nothing in it cut out: a value that is masked may end a sequence of a
 * terminal early, or lie in what is cut out, so this is not always what masking both at once leaves.
 */
const throughMasks = <M extends Match>(look: Look<M>): Masked | undefined => {
  const cut = look.more.filter(isCutOut)
  if (cut.length === 0) return undefined
  const { text, toOriginal } = mask(look.text, cut)
  return { text, toOriginal: (offset, edge) => look.toOriginal(toOriginal(offset, edge), edge) }
}

/** Adds what came to light and was not known. Says whether there is more to mask. */
const add = <M extends Match>({ more: seen, toOriginal }: Look<M>, found: Found<M>): boolean => {
  const more = seen.map((match) => ({
    ...match,
    start: toOriginal(match.start, 'start'),
    end: toOriginal(match.end, 'end'),
  }))
  const moreValues = more.filter(isValue)
  let moreOthers = more.filter((match) => !isValue(match))
  if (moreOthers.length > 0) {
    const known = new Set(found.others.map(keyOf))
    const isCovered = createCover(found.others)
    moreOthers = moreOthers.filter((match) => !known.has(keyOf(match)) && (isHidden(match) || !isCovered(match)))
  }
  if (moreValues.length > 0) found.values = withoutOverlaps([...found.values, ...moreValues], rank)
  for (const match of moreOthers) found.others.push(match)
  return moreValues.length > 0 || moreOthers.some(isHidden)
}

/**
 * Finds all that masking would uncover: what stands against a secret without an edge gets one by its mask, and what was
 * split by invisible characters comes together without them. So masking a text twice is masking it once, whatever the
 * rules. Values (secrets, personal data) have one name for each of their parts; what is found in longer passages stands
 * beside them, so that a comment that holds a key is not the key.
 */
export const settle = <M extends Match>(text: string, detect: Detect<M>): readonly M[] => {
  const first = detect(text, 'everything')
  if (first.length === 0) return first
  const found: Found<M> = {
    values: withoutOverlaps(first.filter(isValue), rank),
    others: first.filter((match) => !isValue(match)),
  }
  let looks = 0
  for (let settled = false; !settled;) {
    settled = true
    let before = 0
    const cutTexts: string[] = []
    let valuesGone: Look<M> | undefined
    for (const { isGone, scope, cuts, longest = Infinity } of VIEWS) {
      if (text.length > longest) continue
      const gone = [...found.values, ...found.others].filter(isGone)
      // A view that takes out no more than the one before it shows the same.
      if (gone.length === before) continue
      before = gone.length
      if (looks++ === LOOKS) return ordered(found)
      const look = lookAt(text, gone, scope, detect)
      if (cuts === true) cutTexts.push(look.text)
      else valuesGone = look
      if (add(look, found)) settled = false
    }
    const through = valuesGone && throughMasks(valuesGone)
    if (through === undefined || cutTexts.includes(through.text)) continue
    if (looks++ === LOOKS) return ordered(found)
    if (add({ ...through, more: detect(through.text, 'masks') }, found)) settled = false
  }
  return ordered(found)
}

const ordered = <M extends Match>({ values, others }: Found<M>): readonly M[] =>
  others.length === 0 ? values : [...values, ...others].toSorted(byPlace)
