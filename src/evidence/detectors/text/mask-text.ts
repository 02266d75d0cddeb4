import { INVISIBLE_TYPES } from './invisible-types.ts'
import { replaceRanges } from '../../../protocol/text-ranges.ts'
import type { FindingCategory } from '../../../protocol/evidence.ts'

/** What to mask: finding categories (`secret`) and finding types (`card`), mixed. */
export type MaskSelection = readonly string[]

/**
 * All secrets, and all personal data except addresses of machines and of money, and dates, which alone identify nobody.
 */
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

/** A range of text with the category and type of its finding. */
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
 * The replacement of a finding. Contains no quote, backslash or line end, so JSON, YAML and code around it stay valid.
 */
export const maskFor = (type: string): string =>
  `[masked:${type
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
    .slice(0, 48)}]`

/** Types that leave nothing when masked; those that hide words are replaced by a mask. */
const CUT_OUT: ReadonlySet<string> = new Set(INVISIBLE_TYPES)

/** Whether masking leaves nothing in this place, so that its surroundings are joined. */
export const isCutOut = ({ category, type }: Pick<Maskable, 'category' | 'type'>): boolean =>
  category === 'hidden_text' && CUT_OUT.has(type)

/** The replacement of a masked finding. */
const replacementFor = (found: Pick<Maskable, 'category' | 'type'>): string =>
  isCutOut(found) ? '' : maskFor(found.type)

/**
 * A text without its masks: their words are the guard's and no evidence for the text next to them. A terminal sequence
 * before a mask may have absorbed its bracket.
 */
export const withoutMasks = (text: string): string => text.replaceAll(/\[?masked:[a-z0-9-]{1,48}\]/g, '')

/** Ranges to mask, sorted; overlapping ones are united under the type of the first that leaves a mask. */
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

/** The text with its findings masked, and otherwise unchanged. Masking twice equals masking once (see the scanner). */
export const maskText = (
  text: string,
  found: readonly Maskable[],
  selection: MaskSelection = DEFAULT_MASKED,
): string => {
  return replaceRanges(text, maskRanges(found, selection))
}
