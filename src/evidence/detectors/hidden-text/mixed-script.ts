import type { Match } from '../detector.ts'
import { isImpostor } from '../text/confusables.ts'
import { hidden } from './finding.ts'

/** Letters of confusable scripts; digits and `_` belong to words of code. */
const isWordUnit = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) ||
  (unit >= 65 && unit <= 90) ||
  unit === 95 ||
  (unit >= 97 && unit <= 122) ||
  (unit >= 0xc0 && unit <= 0x24f) ||
  isForeignUnit(unit)

/** Greek, Cyrillic, Armenian. */
export const isForeignUnit = (unit: number): boolean => unit >= 0x370 && unit <= 0x58f

/** Longer runs are not words. */
const LONGEST = 64

/** Evaluates the word around a Greek, Cyrillic or Armenian letter: do its letters imitate Latin ones? */
export const findMixedScript = (text: string, at: number): { match?: Match; end: number } => {
  let start = at
  while (start > 0 && at - start < LONGEST && isWordUnit(text.charCodeAt(start - 1))) start--
  let end = at
  while (end < text.length && end - at < LONGEST && isWordUnit(text.charCodeAt(end))) end++
  const word = text.slice(start, end)
  let latin = 0
  let impostors = 0
  for (const char of word) {
    if (isForeignUnit(char.charCodeAt(0))) {
      if (!isImpostor(char)) return { end }
      impostors++
    } else if (/[A-Za-z\u00c0-\u024f]/.test(char)) latin++
  }
  if (latin < 2 || latin + impostors < 4) return { end }
  return { match: hidden('mixed-script', 'medium', 0.75, start, end), end }
}
