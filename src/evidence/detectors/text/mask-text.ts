import { INVISIBLE_TYPES } from './invisible-types.ts'
import { replaceRanges } from '../../../protocol/text-ranges.ts'
import type { FindingCategory } from '../../../protocol/evidence.ts'

/** What is to be masked: finding categories (`secret`) and finding types (`card`), mixed. */
export type MaskSelection = readonly string[]

/** All secrets, and all personal data but addresses of machines and of money, and dates, which alone name nobody. */
export const DEFAULT_MASKED: MaskSelection = [
  'secret',
  'card',
  'ssn',
  'iban',
  'email',
  'phone',
  'national-id',
  'tax-id',
  'health-id',
  'passport',
  'travel-document',
  'driver-license',
]

/** A stretch of text with what was found there. */
export interface Maskable {
  readonly category: FindingCategory
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Whether a selection names this finding, by category or by type. */
export const isSelected = (
  selection: MaskSelection,
  { category, type }: Pick<Maskable, 'category' | 'type'>,
): boolean => selection.includes(category) || selection.includes(type)

/**
 * What stands in place of what was found. Holds no quote, backslash or line end, so JSON, YAML and code around it stay
 * what they are.
 */
export const maskFor = (type: string): string =>
  `[masked:${type
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
    .slice(0, 48)}]`

/** What hides words leaves a mask where it stood. */
const CUT_OUT: ReadonlySet<string> = new Set(INVISIBLE_TYPES)

/** Whether masking this leaves nothing in its place, so that what stood around it comes together. */
export const isCutOut = ({ category, type }: Pick<Maskable, 'category' | 'type'>): boolean =>
  category === 'hidden_text' && CUT_OUT.has(type)

/** What stands in place of a finding once it is masked. */
const replacementFor = (found: Pick<Maskable, 'category' | 'type'>): string =>
  isCutOut(found) ? '' : maskFor(found.type)

/**
 * A text without the masks in it: their words are ours and say nothing about what stands beside them. A terminal sequence
 * that stood before a mask may have taken its bracket along.
 */
export const withoutMasks = (text: string): string => text.replaceAll(/\[?masked:[a-z0-9-]{1,48}\]/g, '')

/** Ranges to be masked, sorted; those that overlap are united under the name of the first that leaves one. */
export const maskRanges = (
  found: readonly Maskable[],
  selection: MaskSelection,
): readonly { readonly start: number; readonly end: number; readonly text: string }[] => {
  const ranges: { start: number; end: number; text: string }[] = []
  const sorted = found
    .filter((one) => one.end > one.start && isSelected(selection, one))
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
  for (const one of sorted) {
    const { start, end } = one
    const last = ranges.at(-1)
    if (last !== undefined && start < last.end) {
      last.end = Math.max(last.end, end)
      if (last.text === '') last.text = replacementFor(one)
    } else ranges.push({ start, end, text: replacementFor(one) })
  }
  return ranges
}

/** The text with what was found masked, and nothing else touched. Masking twice is masking once (see the scanner). */
export const maskText = (
  text: string,
  found: readonly Maskable[],
  selection: MaskSelection = DEFAULT_MASKED,
): string => {
  return replaceRanges(text, maskRanges(found, selection))
}
