import type { Match } from './detector.ts'
import { DEFAULT_MASKED, isCutOut, isSelected, maskRanges } from './text/mask-text.ts'
import { withoutOverlaps } from './overlap.ts'

/** Limit of rescans of a text; real texts need one for each view, to confirm that nothing is left. */
const MOST_RESCANS = 10

const SEVERITIES = ['critical', 'high', 'medium', 'low']

/**
 * Higher severity first, then higher confidence: the order in which overlapping matches of several detectors determine
 * the type.
 */
const rank = ({ severity, confidence }: Match): number => SEVERITIES.indexOf(severity) + (1 - confidence) / 2

interface Masked {
  readonly text: string
  /** Maps an offset of the masked text to the original; offsets inside a mask map to its start or end. */
  readonly toOriginal: (offset: number, edge: 'start' | 'end') => number
}

/** Number of pieces before this offset, by binary search: there may be as many as words in a text. */
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

/** A value, which masking replaces under every policy. */
const isValue = ({ category }: Match): boolean => category === 'secret' || category === 'pii'

/** Text that is hidden or hides other text. */
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
    // A range begins after a cut just before it, and ends before a cut just after it.
    const piece = pieces[countBefore(pieces, edge === 'start' ? offset + 1 : offset) - 1]
    if (piece === undefined) return offset
    if (offset < piece.at + piece.length) return edge === 'start' ? piece.start : piece.end
    return offset - piece.at - piece.length + piece.end
  }
  return { text: result + text.slice(from), toOriginal }
}

const keyOf = ({ category, type, start, end }: Match): string => `${category}:${type}:${start}:${end}`

const byPlace = (a: Match, b: Match): number => a.start - b.start || a.end - b.end

/** What to search for: matches that are masked, since a mask may uncover them, or everything. */
export type Scope = 'masks' | 'everything'

/** Returns the matches in a text, in any order. */
type Detect<M> = (text: string, scope: Scope) => readonly M[]

/**
 * Longest text that is also scanned with only some of its values masked. That uncovers matches between a masked value
 * and an unmasked one; in longer texts, which contain values of every kind, it is not worth two scans.
 */
const MIXED = 32_768

/**
 * Views of a text as different selections mask it: secrets alone, the default selection, every value, invisible
 * characters as well, hidden words as well. Each view removes everything that the previous one does.
 */
const VIEWS: readonly {
  readonly isGone: (match: Match) => boolean
  readonly scope: Scope
  /** Removes invisible characters as well. */
  readonly cuts?: true
  /** Longest text with this view, in UTF-16 code units. */
  readonly longest?: number
}[] = [
  { isGone: ({ category }) => category === 'secret', scope: 'masks', longest: MIXED },
  { isGone: (match) => isValue(match) && isSelected(DEFAULT_MASKED, match), scope: 'masks', longest: MIXED },
  { isGone: isValue, scope: 'masks' },
  // Invisible characters split words of every kind.
  { isGone: (match) => isValue(match) || isCutOut(match), scope: 'everything', cuts: true },
  { isGone: (match) => isValue(match) || isHidden(match), scope: 'masks', cuts: true },
]

/** The matches so far. */
interface Found<M> {
  values: readonly M[]
  readonly others: M[]
}

/** Known ranges, sorted and without overlaps, and their starts. */
interface Cover {
  readonly kept: readonly Match[]
  readonly starts: readonly { readonly at: number }[]
}

/**
 * Whether a match of the same category and at least the same severity was found at a place: windows of a text move when
 * it is masked, so an overlapping match is the same one. A higher severity without the characters that split the text
 * is new.
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

/** A text with some matches masked, and the matches in that. */
interface Rescan<M> extends Masked {
  readonly more: readonly M[]
}

const rescan = <M extends Match>(text: string, gone: readonly Match[], scope: Scope, detect: Detect<M>): Rescan<M> => {
  const masked = mask(text, gone)
  return { ...masked, more: detect(masked.text, scope) }
}

/**
 * The masked text of a scan with its invisible parts cut out: a masked value may end a terminal sequence early, or be
 * inside a cut, so this may differ from masking both at once.
 */
const throughMasks = <M extends Match>(scan: Rescan<M>): Masked | undefined => {
  const cut = scan.more.filter(isCutOut)
  if (cut.length === 0) return undefined
  const { text, toOriginal } = mask(scan.text, cut)
  return { text, toOriginal: (offset, edge) => scan.toOriginal(toOriginal(offset, edge), edge) }
}

/** Whether two lists of matches are the same for all that is decided by them. */
const areAlike = (some: readonly Match[], others: readonly Match[]): boolean =>
  some.length === others.length &&
  some.every((one, at) => {
    const other = others[at]
    if (one === other) return true
    return (
      other !== undefined &&
      one.start === other.start &&
      one.end === other.end &&
      one.type === other.type &&
      one.category === other.category &&
      one.severity === other.severity &&
      one.confidence === other.confidence
    )
  })

/** Adds new matches. Returns whether there is more to mask. */
const add = <M extends Match>({ more: seen, toOriginal }: Rescan<M>, found: Found<M>): boolean => {
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
  // A view that masks secrets alone shows the other values again.
  const values = moreValues.length > 0 ? withoutOverlaps([...found.values, ...moreValues], rank) : found.values
  const isMore = !areAlike(values, found.values)
  found.values = values
  for (const match of moreOthers) found.others.push(match)
  return isMore || moreOthers.some(isHidden)
}

/**
 * Finds everything that masking would uncover: text next to a secret without an edge gets one by its mask, and text
 * that was split by invisible characters is joined without them. So masking a text twice equals masking it once, for
 * any rules. Each part of a value (secrets, personal data) has one type; matches of longer passages are kept beside
 * them, so that a comment that contains a key is not the key.
 */
export const settle = <M extends Match>(text: string, detect: Detect<M>): readonly M[] => {
  const first = detect(text, 'everything')
  if (first.length === 0) return first
  const found: Found<M> = {
    values: withoutOverlaps(first.filter(isValue), rank),
    others: first.filter((match) => !isValue(match)),
  }
  let rescans = 0
  for (let settled = false; !settled;) {
    settled = true
    let before = 0
    const cutTexts: string[] = []
    let valuesGone: Rescan<M> | undefined
    for (const { isGone, scope, cuts, longest = Infinity } of VIEWS) {
      if (text.length > longest) continue
      const gone = [...found.values, ...found.others].filter(isGone)
      // A view that removes nothing more shows the same text.
      if (gone.length === before) continue
      before = gone.length
      if (rescans++ === MOST_RESCANS) return ordered(found)
      const scan = rescan(text, gone, scope, detect)
      if (cuts === true) cutTexts.push(scan.text)
      else valuesGone = scan
      if (add(scan, found)) settled = false
    }
    const through = valuesGone && throughMasks(valuesGone)
    if (through === undefined || cutTexts.includes(through.text)) continue
    if (rescans++ === MOST_RESCANS) return ordered(found)
    if (add({ ...through, more: detect(through.text, 'masks') }, found)) settled = false
  }
  return ordered(found)
}

const ordered = <M extends Match>({ values, others }: Found<M>): readonly M[] =>
  others.length === 0 ? values : [...values, ...others].toSorted(byPlace)
