import { TEXT_FUNCTIONS } from '../../hosts/openclaw/host-internals.ts'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'

/** Origin of a text in the host. */
export type OutputPlace =
  /** A string in the arguments of a call, which is never changed. */
  | 'argument'
  /** The partial text of a message, which the host sends along with a piece. */
  | 'partial'
  /** A text of a whole message. */
  | 'message'
  /** A piece of a stream, or the whole of a text at its end. */
  | 'event'
  /** The stack has none of the host's known functions: pieces and wholes look alike. */
  | 'unknown'

/** The host has a dozen frames of its own between. */
const FRAMES = 48

/**
 * The host passes pieces, whole texts and arguments of calls to a plugin's rewriting without distinction. Only its
 * functions on the stack show which one it is.
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

/** One model's stream of text, piece by piece. */
export interface OutputStream {
  /** The text to pass on, possibly later than received, and masked. */
  pass(text: string, place: OutputPlace): string
  /** A new request to the model begins. */
  begin(): void
}

/** The text to pass on: unchanged, masked, or a notice that it is withheld. */
export type Screen = (text: string) => string

/** Characters before a piece that are evaluated with it. */
const CONTEXT = 2_000
/** Only complete words are passed on; one that grows beyond this is not a word. */
const LONGEST_WORD = 4_096
/** Characters that are passed on word by word; after that, a reader hardly notices longer pieces. */
const WORD_BY_WORD = 200
/**
 * Characters passed on at a time after that, except at the end of a line: each time costs an evaluation of the text
 * before.
 */
const STRETCH = 64
/** Most parallel readings of the text; the oldest are dropped first. */
const MOST_READINGS = 8
/** End of a word: white space, and the stops of scripts without it. */
const STOP = /[\s\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]/

const lastStop = (text: string): number => {
  for (let index = text.length; index > 0; index--) if (STOP.test(text.charAt(index - 1))) return index
  return 0
}

/** The first line of a key in armour. */
const ARMOUR = /-{4,5} ?BEGIN/g
/** The last line of a key in armour. */
const ARMOUR_END = /-{4,5} ?END [^\n-]{0,80}-{4,5}\S*\s/
/** Longest number in groups. */
const LONGEST_GROUPS = 64

const isGroup = (word: string): boolean => /^[A-Z\d()+./-]+$/.test(word) && /\d/.test(word)

/** Start of the digit groups at the end of a text: a card, an account or a telephone number that may continue. */
const groupsAt = (text: string): number => {
  let at = text.length
  for (const word of text
    .slice(-LONGEST_GROUPS)
    .split(/(?<=\s)(?=\S)/)
    .toReversed()) {
    if (!isGroup(word.trim())) return at
    at -= word.length
  }
  // Longer ones are not a number, or the whole text so far.
  return text.length > LONGEST_GROUPS ? text.length : at
}

/**
 * Start of something masked as a whole but written in several words: a key in armour that has not ended, groups of
 * digits. If its first words were passed on, the masked text would not continue them. The text's end where there is
 * none.
 */
const openedAt = (text: string): number => {
  const armour = [...text.matchAll(ARMOUR)].at(-1)?.index
  const key = armour === undefined || ARMOUR_END.test(text.slice(armour)) ? text.length : armour
  return Math.min(key, groupsAt(text))
}

/** Who else decides about a stream. */
export interface StreamOptions {
  /** Whether the screen alone decides; otherwise nothing is passed on before the end. */
  readonly settles?: () => boolean
  /** Whether the host distinguishes whole texts from pieces; otherwise nothing is passed on before the end. */
  readonly hasProof?: () => boolean
}

const yes = (): boolean => true

/** Makes a stream that passes on complete words, so that no part of a withheld text is sent before. */
export const createOutputStream = (
  screen: Screen,
  { settles = yes, hasProof = yes }: StreamOptions = {},
): OutputStream => {
  /** End of the text that was passed on, as the model sent it. */
  let gone = ''
  /** Text that was not passed on yet: the beginning of a word. */
  let held = ''
  /** Possible texts so far: all pieces since the beginning, where that is known. */
  let readings: readonly string[] = ['']
  let pieces = 0
  /** The part of this text that was passed on. */
  let shown = ''
  /** A piece came without the message so far. */
  let isUncertain = false
  /** Part of this text is withheld: only its end can be passed on. */
  let closed = false

  const begin = (): void => {
    gone = ''
    held = ''
    readings = ['']
    pieces = 0
    shown = ''
    isUncertain = false
    closed = false
  }
  const letGo = (text: string): string => {
    if (closed || !settles() || !hasProof()) return ''
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
    // A text before it was masked when passed on, and is masked here again.
    const masked = screen(before)
    if (masked !== before && after.startsWith(masked)) return after.slice(masked.length)
    closed = true
    return ''
  }
  const piece = (text: string): string => {
    readings = readings.map((one) => one + text)
    pieces += 1
    const now = letGo(text)
    shown += now
    isUncertain = true
    return now
  }
  /** The partial message equals what was passed on: like the pieces, it never has half a word. */
  const soFar = (text: string): string | undefined => {
    if (!isUncertain || !readings.some((one) => one !== '' && text.startsWith(one))) return undefined
    isUncertain = false
    return shown
  }
  return Object.freeze<OutputStream>({
    begin,
    pass(text, place) {
      if (place === 'argument') return text
      if (place === 'partial') return soFar(text) ?? screen(text)
      if (place !== 'event') return screen(text)
      // A text that repeats the first piece may be the partial message, in a host that no longer marks it.
      if (pieces === 0 || !readings.includes(text) || (pieces === 1 && !hasProof())) return piece(text)
      // The end of a text, which is sent once more as a whole; or a piece that repeats everything before it. Both
      // readings are kept, so that the end is recognised.
      const goesOn = readings.map((one) => one + text).slice(-MOST_READINGS)
      begin()
      readings = ['', ...goesOn]
      pieces = 1
      return screen(text)
    },
  })
}

/** The text after an answer on it. */
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
