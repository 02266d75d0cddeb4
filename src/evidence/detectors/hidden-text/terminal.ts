import type { Match } from '../detector.ts'
import type { HiddenType } from './hidden-types.ts'
import { hidden } from './finding.ts'
import { instructsAgent } from './instructs.ts'
import type { Severity } from '../../../protocol/evidence.ts'

type Judgement = readonly [type: HiddenType, severity: Severity, confidence: number]

const CONTROL: Judgement = ['terminal-control', 'medium', 0.7]
/** A sequence without its last character absorbs the next one, possibly of a mask. */
const UNFINISHED: Judgement = ['terminal-control', 'low', 0.4]
const CURSOR: Judgement = ['terminal-cursor', 'low', 0.5]
const CLIPBOARD: Judgement = ['terminal-clipboard', 'high', 0.95]

/** Operating system commands (OSC) by number; `null` for the marks of shells and editors in their output. */
const OSC: Readonly<Record<string, Judgement | null>> = {
  '0': ['terminal-title', 'low', 0.6],
  '1': ['terminal-title', 'low', 0.6],
  '2': ['terminal-title', 'low', 0.6],
  '7': null,
  '8': ['terminal-link', 'low', 0.6],
  '10': CURSOR,
  '11': CURSOR,
  '12': CURSOR,
  '52': CLIPBOARD,
  '104': CURSOR,
  '133': null,
  '633': null,
}

/**
 * Final characters of control sequences (CSI) that move the cursor; colours and styles (`m`) are evaluated separately.
 */
const CSI_CURSOR = new Set('ABCDEFGHJKLMPSTXZ@`adefhlsurq')

/** Starts of strings that the terminal takes without displaying them. */
const STRINGS = new Set('PX^_')

/** Longer strings are cut there; a terminal would absorb everything. */
const LONGEST = 1 << 20

/** End of the string that begins here (ST or BEL), or of its line if the string is not closed. */
const stringEnd = (text: string, from: number): number => {
  const to = Math.min(text.length, from + LONGEST)
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 7 || unit === 0x9c) return at + 1
    if (unit === 27) return text[at + 1] === '\\' ? at + 2 : at
    if (unit === 10 || (unit >= 0x90 && unit <= 0x9d)) return at
  }
  return to
}

/** Whether colours hide the text that follows: concealed, or in the background colour. */
const conceals = (parameters: string): boolean => {
  const codes = parameters.split(/[;:]/)
  let front = ''
  let back = ''
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? ''
    if (code === '38' || code === '48' || code === '58') {
      const width = codes[at + 1] === '5' ? 2 : 4
      const colour = codes.slice(at + 1, at + 1 + width).join(';')
      if (code === '38') front = colour
      if (code === '48') back = colour
      at += width
    } else if (code === '8') return true
    else if (/^3[0-7]$/.test(code)) front = code.slice(1)
    else if (/^4[0-7]$/.test(code)) back = code.slice(1)
  }
  return front !== '' && front === back
}

/** Longest hidden text: up to the next change of colours. */
const LONGEST_CONCEALED = 4096

const concealed = (text: string, start: number, from: number): Match => {
  const rest = text.slice(from, from + LONGEST_CONCEALED)
  const shown = [rest.indexOf('\u001b'), rest.indexOf('\u009b'), rest.length].filter((at) => at >= 0)
  const end = from + Math.min(...shown)
  return hidden('terminal-conceal', instructsAgent(text.slice(from, end)) ? 'high' : 'medium', 0.8, start, end)
}

const CSI = /([0-?]{0,64})(?:[ -/]{0,4}([@-~]))?/y

const csi = (text: string, start: number, from: number): Match | undefined => {
  const sequence = new RegExp(CSI)
  sequence.lastIndex = from
  const match = sequence.exec(text)
  const last = match?.[2]
  if (match === null || last === undefined) return judged(UNFINISHED, start, from + (match?.[1]?.length ?? 0))
  const end = from + match[0].length
  if (last !== 'm') return judged(CSI_CURSOR.has(last) ? CURSOR : CONTROL, start, end)
  return !/^[>?<]/.test(match[0]) && conceals(match[0].slice(0, -1)) ? concealed(text, start, end) : undefined
}

const osc = (text: string, start: number, from: number): Match | undefined => {
  const end = stringEnd(text, from)
  const number = /^\d{1,4}/.exec(text.slice(from, from + 5))?.[0] ?? ''
  if (/^1337;(?:Copy|EndCopy)/.test(text.slice(from, from + 16))) return judged(CLIPBOARD, start, end)
  const judgement = Object.hasOwn(OSC, number) ? OSC[number] : CONTROL
  return judgement === null || judgement === undefined ? undefined : judged(judgement, start, end)
}

const judged = ([type, severity, confidence]: Judgement, start: number, end: number): Match =>
  hidden(type, severity, confidence, start, end)

const escape = (text: string, at: number): Match | undefined => {
  const next = text[at + 1] ?? ''
  if (next === '[') return csi(text, at, at + 2)
  if (next === ']') return osc(text, at, at + 2)
  if (STRINGS.has(next)) return judged(CONTROL, at, stringEnd(text, at + 2))
  return next === 'c' ? judged(CURSOR, at, at + 2) : undefined
}

/** Whether this is ESC, or an 8-bit form of ESC and its next character. */
export const isEscape = (unit: number): boolean => unit === 0x1b || unit === 0x9b || unit === 0x9d

/**
 * Reads the terminal sequence that begins here. Colours are harmless; the clipboard, hidden text, titles, links and
 * cursor moves are reported. The 8-bit forms count only before a number: broken encodings contain them as well.
 */
export const findTerminal = (text: string, at: number): Match | undefined => {
  const unit = text.charCodeAt(at)
  if (unit === 0x1b) return escape(text, at)
  if (unit === 0x9d && /^\d{1,4};/.test(text.slice(at + 1, at + 6))) return osc(text, at, at + 1)
  if (unit === 0x9b && /^[\d;?]{1,8}[A-Za-z]/.test(text.slice(at + 1, at + 10))) return csi(text, at, at + 1)
  return undefined
}
