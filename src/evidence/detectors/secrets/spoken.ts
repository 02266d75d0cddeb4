import type { Candidate, KeywordRule } from '../rule.ts'
import { isPlaceholder } from './placeholder.ts'
import { looksRandom } from './randomness.ts'

/** Statements of a password in one language: the word for a password, and the words between it and the password. */
interface Language {
  readonly anchors: readonly string[]
  readonly word: string
  /** Verbs and similar; a colon or a dash works in every language. */
  readonly is: string
  /** The language has no blanks between words. */
  readonly isJoined?: true
  /** The password may follow directly. */
  readonly isBare?: true
}

/** A few words in between, as in `Das Passwort für den Server ist …`. */
const WORDS = String.raw`(?: [^\s:=：,;()[\]{}<>"]{1,20}){0,5}?`

/** Signs for `is` in any language. */
const SIGN = String.raw`[ \u00a0]?[:：—–][ \u00a0]?`

const LANGUAGES: readonly Language[] = [
  { anchors: ['password'], word: 'password', is: 'is|was|è|é|es|ist' },
  { anchors: ['passwort', 'kennwort'], word: '(?:passwort|kennwort)', is: 'ist|lautet|heißt|war' },
  { anchors: ['mot de passe'], word: 'mot de passe', is: 'est|était|sera' },
  { anchors: ['contrase', 'clave'], word: '(?:contraseña|clave)', is: 'es|era|será' },
  { anchors: ['parola', 'la password'], word: "parola(?: d['’]ordine)?", is: 'è|era' },
  { anchors: ['senha', 'palavra-passe'], word: '(?:senha|palavra-passe)', is: 'é|era|será' },
  { anchors: ['wachtwoord'], word: 'wachtwoord', is: 'is|was|luidt' },
  { anchors: ['hasło', 'Hasło'], word: 'hasło', is: 'to|jest|brzmi' },
  {
    anchors: ['\u015fifre', '\u015eifre', 'parola'],
    word: '(?:[şŞ]ifre(?:si|niz|m)?|parola(?:sı|nız)?)',
    is: 'şu|budur',
    isBare: true,
  },
  { anchors: ['парол', 'Парол'], word: '[пП]ароль', is: 'это|такой|такий' },
  { anchors: ['密码', '密碼', '口令'], word: '(?:密[码碼]|口令)', is: '是|为|為', isJoined: true },
  { anchors: ['パスワード'], word: 'パスワード', is: 'は', isJoined: true },
  { anchors: ['비밀번호', '암호'], word: '(?:비밀번호|암호)', is: '는|은|가', isJoined: true },
  { anchors: ['كلمة المرور', 'كلمة السر'], word: '(?:كلمة المرور|كلمة السر)', is: 'هي' },
  { anchors: ['पासवर्ड'], word: 'पासवर्ड', is: 'है', isBare: true },
]

/** A password in a sentence: without letters of other scripts, and without the final stop. */
const VALUE = String.raw`["'«„“‘\u0060]?([A-Za-z0-9_+/=.~!@#$%^&*?-]{5,255}[A-Za-z0-9_+/=~!@#$%^&*-])`

/** Two kinds of characters and a digit inside: `Tr0ub4dor`, never `12 characters` or `8-64`. */
const spoken = ({ value, text, end }: Candidate): number | undefined => {
  if (isPlaceholder(value) || !/[A-Za-z]/.test(value) || !/\d/.test(value)) return undefined
  // A longer word is the name of something, or its plural.
  if (/^[A-Za-z0-9_]/.test(text.charAt(end)) || /^https?:|^\/|^\d+[-–]\d+$/.test(value)) return undefined
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length
  return kinds >= 3 || looksRandom(value, 2.8, false) ? 0.7 : undefined
}

/** From the word to the password. */
const between = ({ is, isJoined, isBare }: Language): string =>
  isJoined === true
    ? String.raw`(?:${SIGN}|(?:${is})[ \u00a0]?)`
    : String.raw`(?:${WORDS}(?:${SIGN}|[ \u00a0](?:${is})[ \u00a0:]{1,2})${isBare === true ? '| ' : ''})`

/** Passwords in sentences, in the languages of the other detectors. */
export const SPOKEN_RULES: readonly KeywordRule[] = LANGUAGES.map((language) => ({
  type: 'password',
  severity: 'high',
  confidence: 0.7,
  anchors: language.anchors,
  pattern: language.word + between(language) + VALUE,
  ignoreCase: true,
  assess: spoken,
}))
