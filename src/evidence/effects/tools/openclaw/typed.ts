import type { ToolUse } from '../tool.ts'
import { textsAt } from './emit-effects.ts'

/** Keys by the names that `process` knows (dist/bash-tools, `namedKeyMap`); others move about and are not followed. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['enter', '\n'],
  ['return', '\n'],
  ['cr', '\n'],
  ['kpenter', '\n'],
  ['c-m', '\n'],
  ['c-j', '\n'],
  ['^m', '\n'],
  ['^j', '\n'],
  ['c-c', '\n'],
  ['^c', '\n'],
  ['c-d', '\n'],
  ['^d', '\n'],
  ['c-u', '\n'],
  ['^u', '\n'],
  ['space', ' '],
  ['tab', ' '],
  ['escape', ''],
  ['esc', ''],
  ['bspace', '\b'],
  ['backspace', '\b'],
  ['c-h', '\b'],
  ['^h', '\b'],
  ['c-?', '\b'],
  ['^?', '\b'],
])

const MOVES =
  /^(?:up|down|left|right|home|end|page(?:up|down)|pg(?:up|dn)|[np]page|insert|ic|delete|del|dc|btab|f\d+|kp.|[cms]-.+|\^.)$/i

interface Typed {
  readonly text: string
  /** Keys that move within a line or fetch an earlier one: the final line is unknown. */
  readonly moved: boolean
}

const keyed = (tokens: readonly string[]): Typed => {
  let text = ''
  let moved = false
  for (const raw of tokens) {
    const token = raw.trim()
    const known = KEYS.get(token.toLowerCase())
    if (known === undefined && token.length > 1 && MOVES.test(token)) moved = true
    else text += known ?? token
  }
  return { text, moved }
}

const bytes = (tokens: readonly string[]): string =>
  tokens
    .map((token) => /^(?:0x)?([0-9a-f]{1,2})$/i.exec(token.trim())?.[1])
    .map((byte) => (byte === undefined ? '' : String.fromCharCode(Number.parseInt(byte, 16))))
    .join('')

/** Takes back what backspaces take back; other control characters end a line. */
const settled = (text: string): string => {
  const kept: string[] = []
  for (const char of text.replaceAll('\u001B[200~', '').replaceAll('\u001B[201~', ''))
    if (char === '\b' || char === '\u007F') kept.pop()
    else kept.push(char < ' ' && char !== '\t' ? '\n' : char)
  return kept.join('')
}

/** What a call types into a running program, in the order in which the host sends it. */
export const typedBy = (use: ToolUse): Typed => {
  const of = (member: string): readonly string[] => textsAt(use, member).map(([, text]) => text)
  const raw = ['data', 'text', 'literal'].map((member) => use.text(member) ?? '').join('')
  const keys = keyed(of('keys'))
  return { text: settled(`${raw}${bytes(of('hex'))}${keys.text}`), moved: keys.moved }
}
