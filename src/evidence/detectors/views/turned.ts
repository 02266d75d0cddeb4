import { createAnchorIndex } from '../anchors.ts'
import type { View } from './view.ts'
import { createViewBuilder } from './view.ts'

const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (char) => {
    const code = char.charCodeAt(0)
    const base = code < 97 ? 65 : 97
    return String.fromCharCode(((code - base + 13) % 26) + base)
  })

/** By code units; halves of a pair end up the wrong way round, in which no value is written. */
const backwards = (text: string): string => {
  let turned = ''
  for (let at = text.length - 1; at >= 0; at--) turned += text.charAt(at)
  return turned
}

/** Words that say of what stands near that it is written backwards, or by letters thirteen places on. */
const SAYS_BACKWARDS =
  'backward,reverse,from right to left,right-to-left,mirrored,mirror writing,rückwärts,umgekehrt,al revés,al reves,à l’envers,a rovescio,achterstevoren,od tyłu'
const SAYS_ROT13 = 'rot13,rot-13,rot 13,caesar,cipher: rot'

/** What texts that are turned as a whole hold: small words, labels, the beginnings of lines of logs. */
const TURNED_WORDS =
  ' eht , dna , rof , morf , htiw , siht , ruoy , uoy , esu , saw ,eman,rebmun,drowssap,nekot,terces,yek_,yek :,yek ipa,:nss,"nss,:nabi,"nabi,:liam,"liam,:enohp,"enohp,:drac,"drac,sutats,ofni ,gubed ,rorre '
/** Ends of addresses thirteen letters on. */
const ROT13_WORDS =
  ' gur , naq , sbe , sebz , jvgu , guvf , lbhe , hfr ,ahzore,cnffjbeq,gbxra,frperg,:rznvy,.pbz,.arg,.bet,.rqh,.vasb'

/** Longer words are no tokens. */
const LONGEST_TOKEN = 2_048
/** How far around a word that says so everything is turned. */
const NEAR = 256

type Turn = 'backwards' | 'rot13'

interface Cue {
  readonly anchor: string
  readonly turn: Turn
  /** The beginning of a key: its own word is turned; else everything near. */
  readonly isKey: boolean
}

const ascii = (words: string): readonly string[] =>
  words.split(',').filter((word) => /^[\x20-\x40\x5b-\x7e]{3,}$/.test(word))

const cuesOf = (anchors: readonly string[]): readonly Cue[] => [
  ...ascii(SAYS_BACKWARDS + ',' + TURNED_WORDS).map((anchor): Cue => ({ anchor, turn: 'backwards', isKey: false })),
  ...ascii(SAYS_ROT13 + ',' + ROT13_WORDS).map((anchor): Cue => ({ anchor, turn: 'rot13', isKey: false })),
  ...anchors.map((anchor): Cue => ({ anchor: backwards(anchor), turn: 'backwards', isKey: true })),
  // Signs and digits are the same thirteen places on.
  ...anchors
    .filter((anchor) => rot13(anchor) !== anchor)
    .map((anchor): Cue => ({ anchor: rot13(anchor), turn: 'rot13', isKey: true })),
]

const isBlank = (code: number): boolean => code <= 32 || code === 34 || code === 39 || code === 96 || Number.isNaN(code)

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** The word around a place, where it may be a key: with a digit in it. */
const tokenAt = (text: string, at: number): readonly [number, number] | undefined => {
  let start = at
  let end = at
  let digits = 0
  while (start > 0 && at - start < LONGEST_TOKEN && !isBlank(text.charCodeAt(start - 1)))
    if (isDigit(text.charCodeAt(--start))) digits++
  while (end < text.length && end - at < LONGEST_TOKEN && !isBlank(text.charCodeAt(end)))
    if (isDigit(text.charCodeAt(end++))) digits++
  return digits === 0 || end - start < 16 ? undefined : [start, end]
}

const viewOf = (text: string, turn: Turn, from: number, to: number): View => {
  const view = createViewBuilder(text)
  const part = text.slice(from, to)
  if (turn === 'backwards') view.turn(backwards(part), from, to)
  else view.put(rot13(part), from, to)
  return view.done()
}

/**
 * Makes the search for what is written backwards or in rot13: words that hold the beginning of a key so written, and all
 * that stands near words that say so or are so written themselves.
 */
export const createTurnedViews = (anchors: readonly string[]): ((text: string) => readonly View[]) => {
  const cues = cuesOf(anchors)
  const index = createAnchorIndex(cues.map(({ anchor }) => anchor))
  return (text) => {
    const views: View[] = []
    const seen = { backwards: 0, rot13: 0 }
    const open: Record<Turn, [number, number] | undefined> = { backwards: undefined, rot13: undefined }
    const close = (turn: Turn): void => {
      const range = open[turn]
      if (range !== undefined) views.push(viewOf(text, turn, ...range))
      open[turn] = undefined
    }
    index.each(text, (number, at) => {
      const cue = cues[number]
      if (cue === undefined) return
      const { turn, isKey } = cue
      if (isKey) {
        if (at < seen[turn] || at < (open[turn]?.[1] ?? 0)) return
        const token = tokenAt(text, at)
        if (token === undefined) return
        seen[turn] = token[1]
        views.push(viewOf(text, turn, ...token))
        return
      }
      const from = Math.max(0, at - NEAR)
      const to = Math.min(text.length, at + NEAR)
      const range = open[turn]
      if (range !== undefined && from <= range[1]) range[1] = to
      else {
        close(turn)
        open[turn] = [from, to]
      }
    })
    close('backwards')
    close('rot13')
    return views
  }
}
