import { type Turn, turnedView } from './turned.ts'
import type { View } from './view.ts'

/** A value whose form shows that it is turned, and how. */
interface TurnedForm {
  /** What a text must have for the form to be in it: looking for it is quicker. */
  readonly sign?: string
  readonly form: RegExp
  readonly turn: Turn
}

/** Ends of addresses of mail, the most used. */
const TOP_LEVELS = 'com|net|org|edu|gov|info|io|de|uk|fr|ch|at|eu|it|es|nl|pl|ru|jp|cn|in|br|ca|au'.split('|')

const BACKWARDS = TOP_LEVELS.map((name) => Array.from(name).toReversed().join(''))
/** The same thirteen places on; two of them are such ends by themselves. */
const ROTATED = ['pbz', 'arg', 'bet', 'rqh', 'tbi', 'vasb', 'qr', 'hx', 'se', 'rh', 'vg', 'cy', 'pa', 'oe']

/**
 * Numbers of cards, accounts and people from their end, telephone numbers with their plus at the end, and addresses of
 * mail with their first letters last; a year with a month and a number is a document's. What the numbers are is told by their check digits, of the text as it is turned.
 */
export const TURNED_FORMS: readonly TurnedForm[] = [
  {
    turn: 'backwards',
    form: /(?<![\w.-])(?:(?!(?:19|20)\d\d-(?:0\d|1[0-2])-)\d{4}-\d{2}-\d{3}|\d{4}(?:[ -]?\d{4}){3}|\d[\dA-Z]{10,28}\d{2}[A-Z]{2})(?![\w-])/g,
  },
  { turn: 'backwards', sign: '+', form: /(?<![\w.-])\d[\d ()-]{7,18}\d\+(?!\w)/g },
  {
    turn: 'backwards',
    sign: '@',
    form: new RegExp(String.raw`(?<![\w.-])(?:${BACKWARDS.join('|')})\.[\w-][\w.-]{0,62}@[\w.+-]{1,64}(?![\w@])`, 'gi'),
  },
  {
    turn: 'rot13',
    sign: '@',
    form: new RegExp(String.raw`(?<![\w.+@-])[\w.+-]{1,64}@[\w-][\w.-]{0,62}\.(?:${ROTATED.join('|')})(?![\w@])`, 'gi'),
  },
  { turn: 'rot13', form: /(?<![\w-])[A-Z]{2}\d{2}[\dA-Z]{11,30}(?![\w-])/g },
]

/** Values of one text that are looked at turned. */
const MOST = 256

/** Personal data that stands alone in a text, backwards or in rot13, each turned by itself. */
export const turnedValueViews = (text: string): readonly View[] => {
  const views: View[] = []
  for (const { sign, form, turn } of TURNED_FORMS) {
    if (sign !== undefined && !text.includes(sign)) continue
    for (const { 0: found, index } of text.matchAll(form)) {
      if (views.length >= MOST) return views
      views.push(turnedView(text, turn, index, index + found.length))
    }
  }
  return views
}
