import type { Match } from '../detector.ts'
import { passesIcao } from './check-digits.ts'

/**
 * Places of the checked fields of a travel document (ICAO 9303, parts 4 to 6): a line, from, to including the check
 * digit.
 */
type Field = readonly [line: number, from: number, to: number]

interface Layout {
  readonly lines: number
  readonly width: number
  readonly fields: readonly Field[]
}

const LAYOUTS: readonly Layout[] = [
  // Passports.
  {
    lines: 2,
    width: 44,
    fields: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 28],
    ],
  },
  // Visas and older cards.
  {
    lines: 2,
    width: 36,
    fields: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 28],
    ],
  },
  // Cards.
  {
    lines: 3,
    width: 30,
    fields: [
      [0, 5, 15],
      [1, 0, 7],
      [1, 8, 15],
    ],
  },
]

const LINE_END = /[ \t]{0,8}(?:\r?\n|(?:\\r)?\\n)[ \t]{0,8}/y
const LINE = /[A-Z0-9<]{30,44}(?![A-Z0-9<])/y

interface Line {
  readonly text: string
  readonly start: number
  readonly end: number
}

const lineAt = (text: string, start: number): Line | undefined => {
  const line = new RegExp(LINE)
  line.lastIndex = start
  const found = line.exec(text)
  return found === null ? undefined : { text: found[0], start, end: start + found[0].length }
}

const lineAfter = (text: string, { end }: Line): Line | undefined => {
  const gap = new RegExp(LINE_END)
  gap.lastIndex = end
  return gap.test(text) ? lineAt(text, gap.lastIndex) : undefined
}

const passes = (lines: readonly Line[], { fields }: Layout): boolean =>
  fields.every(([line, from, to]) => passesIcao((lines[line]?.text ?? '').slice(from, to).replaceAll('<', '0')))

const documentAt = (text: string, start: number): Match | undefined => {
  const first = lineAt(text, start)
  if (first === undefined || !/^[A-Z][A-Z<][A-Z<]{3}/.test(first.text)) return undefined
  const second = lineAfter(text, first)
  if (second === undefined) return undefined
  const third = lineAfter(text, second)
  for (const layout of LAYOUTS) {
    const lines = [first, second, ...(third === undefined ? [] : [third])].slice(0, layout.lines)
    const fits = lines.length === layout.lines && lines.every((line) => line.text.length === layout.width)
    if (!fits || !passes(lines, layout)) continue
    const end = lines.at(-1)?.end ?? second.end
    return { category: 'pii', type: 'travel-document', severity: 'high', confidence: 0.98, start, end }
  }
  return undefined
}

const isZoneSign = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 0x3c

/** Machine readable zones of passports, visas and identity cards, verified by their check digits. */
export const findTravelDocuments = (text: string): readonly Match[] => {
  const found: Match[] = []
  let seen = 0
  for (let at = text.indexOf('<<'); at !== -1; at = text.indexOf('<<', Math.max(at + 2, seen))) {
    let start = at
    while (start > seen && at - start < 45 && isZoneSign(text.charCodeAt(start - 1))) start--
    // The letter of an escape (`\n`) is not part of the line: escapes end in small letters.
    const match = documentAt(text, start)
    if (match !== undefined) found.push(match)
    seen = match?.end ?? at + 2
    while (seen < text.length && isZoneSign(text.charCodeAt(seen))) seen++
  }
  return found
}
