import type { Match } from '../detector.ts'
import { hidden } from './finding.ts'

const CONTROL = /[\u202a-\u202e\u2066-\u2069]/g
/** So many adjacent controls do not turn text: they encode a message. */
const ROW = /[\u202a-\u202e\u2066-\u2069]{8}/
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc]|\ud802|\ud803|\ud83a|\ud83b/

/** Overrides reverse even Latin letters; the other two reverse adjacent neutral text. */
const OVERRIDES = new Set('\u202d\u202e')
const TURN = new Set('\u202b\u2067')
const CLOSES: Readonly<Record<string, string>> = {
  '\u202c': '\u202a\u202b\u202d\u202e',
  '\u2069': '\u2066\u2067\u2068',
}

/** Whether each opening control is closed on its line, as in honest programs. */
const isBalanced = (controls: readonly string[]): boolean => {
  const open: string[] = []
  for (const control of controls) {
    const closes = CLOSES[control]
    if (closes === undefined) open.push(control)
    else if (!closes.includes(open.pop() ?? '?')) return false
  }
  return open.length === 0
}

/** Ranges of adjacent places: a flood of controls is one finding. */
const runsOf = (places: readonly number[]): readonly { readonly start: number; readonly end: number }[] => {
  const runs: { start: number; end: number }[] = []
  for (const place of places) {
    const last = runs.at(-1)
    if (last?.end === place) last.end++
    else runs.push({ start: place, end: place + 1 })
  }
  return runs
}

/**
 * Evaluates the bidi controls of one line (Trojan Source, CVE-2021-42574): overrides anywhere, and changes of direction
 * in lines without right-to-left text, where code is read in another order than it is displayed.
 */
export const findBidi = (text: string, lineStart: number, lineEnd: number): readonly Match[] => {
  const line = text.slice(lineStart, lineEnd)
  const places = [...line.matchAll(CONTROL)].map(({ index, 0: control }) => ({ index, control }))
  const controls = places.map(({ control }) => control)
  const turns = !RIGHT_TO_LEFT.test(line) && controls.some((control) => TURN.has(control))
  const deceives = turns || controls.some((control) => OVERRIDES.has(control)) || ROW.test(line)
  if (!deceives && isBalanced(controls)) return []
  return runsOf(places.map(({ index }) => lineStart + index)).map(({ start, end }) =>
    deceives ? hidden('bidi-override', 'high', 0.9, start, end) : hidden('bidi-control', 'low', 0.5, start, end),
  )
}
