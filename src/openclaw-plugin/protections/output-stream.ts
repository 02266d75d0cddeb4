import { TEXT_FUNCTIONS } from '../../hosts/openclaw/host-internals.ts'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'

/** Where in the host a text comes from. */
export type OutputPlace =
  /** A string in the arguments of a call: not the model's words, and never changed. */
  | 'argument'
  /** A text of a message as far as it has come, which the host sends along with a piece. */
  | 'partial'
  /** A text of a whole message. */
  | 'message'
  /** A piece of a stream, or the whole of a text at its end. */
  | 'event'
  /** None of the host's functions that are known is on the way: its pieces and wholes look alike. */
  | 'unknown'

/** The host puts a dozen frames of its own between. */
const FRAMES = 48

/**
 * The host shows a plugin's rewriting pieces, whole texts and arguments of calls alike, and says nothing of which is
 * which. Only its own functions on the stack tell.
 */
export const outputPlace = (): OutputPlace => {
  const { stackTraceLimit } = Error
  const at: { stack?: string } = {}
  Error.stackTraceLimit = FRAMES
  Error.captureStackTrace(at, outputPlace)
  Error.stackTraceLimit = stackTraceLimit
  const stack = at.stack ?? ''
  if (stack.includes(TEXT_FUNCTIONS.argument)) return 'argument'
  const event = stack.includes(TEXT_FUNCTIONS.event)
  if (TEXT_FUNCTIONS.message.some((name) => stack.includes(name))) return event ? 'partial' : 'message'
  if (event) return 'event'
  return TEXT_FUNCTIONS.program.some((name) => stack.includes(name)) ? 'message' : 'unknown'
}

/** One model's stream of words, piece by piece. */
export interface OutputStream {
  /** A text of the stream as it may go on: a piece may come later than it was said, and masked. */
  pass(text: string, place: OutputPlace): string
  /** The model is asked anew. */
  begin(): void
}

/** How a text goes on: as it is, masked, or as a notice that it is withheld. */
export type Screen = (text: string) => string

/** Characters before a piece that are looked at with it. */
const CONTEXT = 2_000
/** A word is let go only whole; one that grows beyond this is no word. */
const LONGEST_WORD = 4_096
/** Characters that leave word by word; whoever reads along then hardly sees that more come at a time. */
const WORD_BY_WORD = 200
/** Characters that leave at a time after that, but for the end of a line: each time costs a look at what stood before. */
const STRETCH = 64
/** Ways to read what was said that are kept in mind at most; the oldest go first. */
const MOST_READINGS = 8
/** What ends a word: white space, and the stops of scripts that write without it. */
const STOP = /[\s\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]/

const lastStop = (text: string): number => {
  for (let index = text.length; index > 0; index--) if (STOP.test(text.charAt(index - 1))) return index
  return 0
}

/** The first line of a key in armour. */
const ARMOUR = /-{4,5} ?BEGIN/g
/** Its last line, and that it is over. */
const ARMOUR_END = /-{4,5} ?END [^\n-]{0,80}-{4,5}\S*\s/
/** Numbers that are written in groups are this long at most. */
const LONGEST_GROUPS = 64

const isGroup = (word: string): boolean => /^[A-Z\d()+./-]+$/.test(word) && /\d/.test(word)

/** Where the groups of digits begin that a text ends with: a card, an account, a telephone number that may go on. */
const groupsAt = (text: string): number => {
  let at = text.length
  for (const word of text
    .slice(-LONGEST_GROUPS)
    .split(/(?<=\s)(?=\S)/)
    .toReversed()) {
    if (!isGroup(word.trim())) return at
    at -= word.length
  }
  // More than that is no number, or the whole text so far.
  return text.length > LONGEST_GROUPS ? text.length : at
}

/**
 * Where something begins that is masked as a whole and is written in several words: a key in armour that has not ended,
 * groups of digits. Were its first words to leave, the whole text would not go on from them. The text's end where nothing
 * does.
 */
const openedAt = (text: string): number => {
  const armour = [...text.matchAll(ARMOUR)].at(-1)?.index
  const key = armour === undefined || ARMOUR_END.test(text.slice(armour)) ? text.length : armour
  return Math.min(key, groupsAt(text))
}

/** On whom else it depends how a stream goes on. */
export interface StreamOptions {
  /** Whether the screen has the last word; where somebody else has, nothing leaves before the end. */
  readonly settles?: () => boolean
  /** Whether the host has shown that it tells whole texts from pieces; before, nothing leaves before the end either. */
  readonly told?: () => boolean
}

const yes = (): boolean => true

/** Makes a stream. Words leave it whole, so that nothing that is withheld as a whole has left it in part. */
export const createOutputStream = (screen: Screen, { settles = yes, told = yes }: StreamOptions = {}): OutputStream => {
  /** What was let go, as the model said it; only its end is kept. */
  let gone = ''
  /** What was not let go yet: the beginning of a word. */
  let held = ''
  /** What the text may be so far: all pieces since it began, where it is known when that was. */
  let said: readonly string[] = ['']
  let pieces = 0
  /** What of this text has left. */
  let shown = ''
  /** A piece came, and what the message is by then was not told yet. */
  let untold = false
  /** Something in this text is withheld: only its end can say how it goes on. */
  let closed = false

  const begin = (): void => {
    gone = ''
    held = ''
    said = ['']
    pieces = 0
    shown = ''
    untold = false
    closed = false
  }
  const letGo = (text: string): string => {
    if (closed || !settles() || !told()) return ''
    const whole = held + text
    const cut = Math.min(lastStop(whole), openedAt(whole))
    const early = gone.length > WORD_BY_WORD && cut < STRETCH && !whole.slice(0, cut).includes('\n')
    const ready = early ? '' : whole.slice(0, cut)
    held = whole.slice(ready.length)
    if (held.length > LONGEST_WORD) closed = true
    if (ready === '') return ''
    const before = gone.slice(-CONTEXT)
    const after = screen(before + ready)
    gone = before + ready
    if (after.startsWith(before)) return after.slice(before.length)
    // Something before it was masked when it left, and is masked here again.
    const masked = screen(before)
    if (masked !== before && after.startsWith(masked)) return after.slice(masked.length)
    closed = true
    return ''
  }
  const piece = (text: string): string => {
    said = said.map((one) => one + text)
    pieces += 1
    const now = letGo(text)
    shown += now
    untold = true
    return now
  }
  /** As far as a message has come, it says what has left: half a word no more than the pieces do. */
  const soFar = (text: string): string | undefined => {
    if (!untold || !said.some((one) => one !== '' && text.startsWith(one))) return undefined
    untold = false
    return shown
  }
  return Object.freeze<OutputStream>({
    begin,
    pass(text, place) {
      if (place === 'argument') return text
      if (place === 'partial') return soFar(text) ?? screen(text)
      if (place !== 'event') return screen(text)
      // A text that is the first piece over again may be the message so far, in a host that does not say so any more.
      if (pieces === 0 || !said.includes(text) || (pieces === 1 && !told())) return piece(text)
      // The end of a text, which is said whole once more; or a piece that says all before it a second time. Both are kept
      // in mind, so that the end is known when it comes.
      const goesOn = said.map((one) => one + text).slice(-MOST_READINGS)
      begin()
      said = ['', ...goesOn]
      pieces = 1
      return screen(text)
    },
  })
}

/** How a text goes on after an answer on it. */
export const screened = (text: string, answer: HookAnswer, notice: string): string => {
  switch (answer.verdict.decision) {
    case 'allow':
      return text
    case 'modify':
      return answer.text ?? notice
    case 'ask':
    case 'defer':
    case 'deny':
      return notice
    default:
      return answer.verdict.decision satisfies never
  }
}
