import type { Candidate, KeywordRule } from '../rule.ts'
import { isPlaceholder } from './placeholder.ts'
import { isShuffled, looksRandom } from './randomness.ts'

/** Suffixes of a secret's name, such as `password_prod`, `SECRET_KEY_BASE`, `tokenValue`. */
const SUFFIX =
  '(?:[_.-]?(?:access|key|token|secret|password|value|string|plain|text|base|base64|b64|hex|production|prod|live|development|dev|staging|stage|test|old|new|current|backup|primary|secondary|default|env|var|ro|rw|[0-9]{1,3}))'

/** From the name to the value: quotes and brackets, a type, and the language's assignment operator. */
const ASSIGN = String.raw`(?:\\{0,3}["'\`])?\]?[ \t]{0,12}(?::[ \t]{0,4}[&*A-Za-z][A-Za-z0-9_.<>|]{0,32}[ \t]{0,4}(?==))?(?:=>|:{1,3}=|[?+.]?={1,3}|<-|!==?|\|\|=?|\?\?=?|->|[:>]|["'][ \t]{1,4}value[ \t]{0,2}=)[ \t]{0,12}`

/** The same for quoted values: also arguments (`setPassword("…")`, `get("TOKEN", "…")`) and tuples. */
const ASSIGN_QUOTED = String.raw`(?:${ASSIGN}(?:\[[ \t]{0,2})?(?:[A-Za-z0-9_.]{1,32}\()?|(?:["'\`][ \t]{0,4},|\()[ \t]{0,4})[bfru]{0,2}`

/**
 * A value in quotes of any kind; an escaped quote ends it only if the opening one was escaped too. The end of the text
 * also closes a quote, for cut output, but then the value contains nothing with a meaning in JSON.
 */
const quoted = (min: number): string =>
  String.raw`(?:"((?:\\[^\r\n]|[^"\\\r\n]){${min},1024})"|'((?:\\[^\r\n]|[^'\\\r\n]){${min},1024})'|\`((?:\\[^\r\n]|[^\`\\\r\n]){${min},1024})\`|\\{1,3}["']([^"'\\\r\n]{${min},1024})\\{1,3}["']|["'\`]([A-Za-z0-9_+/=.~!@#$%^*-]{${min},256})$)`

/** The same in a sentence: `the password for the staging database is …`. */
const SENTENCE = String.raw`(?: (?:for|of|to|on)(?: [A-Za-z0-9'_.@-]{1,24}){1,5})? is:? `

/** The next assignment is not a value: `token=token=…` has none, of any length. */
const NO_NAME = '(?!(?:pass|pwd|token|secret|key|api|auth)[A-Za-z_-]{0,24}[=:])'

/** A bare value: env files, YAML, query strings, connection strings, command lines. `isPart` checks its end. */
const bareSecret = `${NO_NAME}([A-Za-z0-9_+/=.~-]{10,256})`

/** The same for passwords, which may contain any characters. */
const barePasswordValue = `${NO_NAME}([A-Za-z0-9_+/=.~!@#$%^*-]{6,256})`

/** Whether a bare value was cut, or is the beginning of a call, an index or a longer word: then it is not a value. */
const isPart = ({ text, end, matched, value }: Candidate): boolean =>
  matched.endsWith(value) && /^[A-Za-z0-9_+/=.~!@#$%^*([{-]/.test(text.charAt(end))

/** Any name that begins at an anchor. The names are checked on the match: both in one pattern take 30 ms to compile. */
const ANY_NAME = '[A-Za-z0-9_.-]{3,56}'

/** Whether the name ends with its word and allowed suffixes, so that an assignment follows. */
const nameCheck = (alternatives: string, suffixes: number): RegExp =>
  new RegExp(String.raw`^(?:${alternatives})${SUFFIX}{0,${suffixes}}s?(?![A-Za-z0-9_]|-(?!>)|\.(?!=))`, 'i')

const PASSWORD = 'pass(?:word|wd|phrase|code)?|pwd'
const SECRET =
  'secret|token|api[_.-]?key|api[_.-]?secret|access[_.-]?key|auth[_.-]?key|private[_.-]?key|encryption[_.-]?key|signing[_.-]?key|master[_.-]?key|account[_.-]?key|subscription[_.-]?key|functions[_.-]?key|credential|passcode'

const IS_PASSWORD = nameCheck(PASSWORD, 2)
const IS_SECRET = nameCheck(SECRET, 3)
const IS_EITHER = nameCheck(`${PASSWORD}|${SECRET}`, 2)

/** Only a value with a secret's name counts. */
const called =
  (names: RegExp, assess: (candidate: Candidate) => number | undefined) =>
  (candidate: Candidate): number | undefined =>
    names.test(candidate.matched) ? assess(candidate) : undefined

const PASSWORD_ANCHORS = ['pass', 'pwd']
const SECRET_ANCHORS = [
  'secret',
  'token',
  'credential',
  ...[
    'api',
    'access',
    'auth',
    'private',
    'encryption',
    'signing',
    'master',
    'account',
    'subscription',
    'functions',
  ].flatMap((word) => ['', '_', '-', '.'].map((joint) => `${word}${joint}key`)),
]

/**
 * Names like those of secrets that are not secret: public keys, anti-forgery and paging tokens, tokens of a language
 * model.
 */
const HARMLESS_NAME =
  /(?:public|pub|csrf|xsrf|authenticity|page|next|prev|previous|continuation|cursor|sync|cancel|cancellation|pad|eos|bos|unk|mask|sep|cls|stop|special|max|min|num|total|input|output|prompt|completion|cache|idempotency|client_?request|by|com|tres|sur|over|under)[_.-]?$/i

const isHarmlessName = ({ text, at }: Candidate): boolean => HARMLESS_NAME.test(text.slice(Math.max(0, at - 24), at))

/** Code in place of a value: a name, a call, a member. */
const isIdentifier = (value: string): boolean =>
  /^[A-Za-z_$][A-Za-z0-9_$]*(?:[.:]{1,2}[A-Za-z_$][A-Za-z0-9_$]*)+$/.test(value)

/** A stored hash of a password is not a password. */
const isPasswordHash = (value: string): boolean =>
  /^(?:\$(?:2[aby]|argon2|pbkdf2|[156])\$|pbkdf2_|\{S?SHA|argon2)/.test(value)

const kindsOf = (value: string): number =>
  [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9\s]/].filter((kind) => kind.test(value)).length

/** A password in quotes: two kinds of characters, one of them not a letter; not a sentence, placeholder or name. */
const quotedPassword = (candidate: Candidate): number | undefined => {
  const { value } = candidate
  if (isHarmlessName(candidate) || isPlaceholder(value) || isPasswordHash(value) || isIdentifier(value))
    return undefined
  if (/\s|\.\*\./.test(value) || /^[a-z][\w-]*\/|^\.{0,2}\/|^https?:/i.test(value)) return undefined
  if (/^[A-Za-z]+$/.test(value)) return isShuffled(value) ? 0.7 : undefined
  return kindsOf(value) >= 2 && /[^A-Za-z_\-./ ]/.test(value) ? 0.75 : undefined
}

/** A bare password: in an env file, a URL's query or a connection string; elsewhere it has to look like one. */
const barePassword = (candidate: Candidate): number | undefined => {
  const { value, matched, text, at, end } = candidate
  if (isPart(candidate) || quotedPassword(candidate) === undefined || !/[A-Za-z]/.test(value)) return undefined
  if (!/\d/.test(value) && !isShuffled(value)) return undefined
  if (/^[\w.]+$/.test(value) && /[.,)\]]/.test(text.charAt(end)) && !/[A-Z]/.test(value)) return undefined
  const isEnv = /^[A-Z0-9_]+=/.test(matched) || /[;?&]$|[A-Z_]$/.test(text.slice(Math.max(0, at - 1), at))
  return isEnv || kindsOf(value) >= 3 || looksRandom(value, 2.8, false) ? 0.7 : undefined
}

/** Whose password follows, in a line that hands over a login: `user root pass …`. */
const LOGIN = /\b(?:user(?:name)?|login|account|root|admin)\b[^\n]{0,40}$/i

/** A password behind its bare word: mixed like one, with a login before it where the word may be a verb. */
const spokenPassword = (candidate: Candidate): number | undefined => {
  const { value, matched, text, at } = candidate
  if (/[\p{L}\d_-]$/u.test(text.slice(Math.max(0, at - 1), at)) || barePassword(candidate) === undefined)
    return undefined
  if (kindsOf(value) < 3 || !(isShuffled(value) || /[!@#$%^*+=~]/.test(value))) return undefined
  return /^pass /i.test(matched) && !LOGIN.test(text.slice(Math.max(0, at - 60), at)) ? undefined : 0.7
}

/** `SERVER_TOKEN`, `API_TOKEN`: services issue them as a UUID; other tokens of that shape are ids. */
const isTokenOfService = ({ text, at }: Candidate): boolean =>
  /(?:api|server|auth|access|bot|deploy|account|service)[_-]$/i.test(text.slice(Math.max(0, at - 8), at))

/** A value assigned to the name of a key or token. */
const assignedSecret =
  (confidence: number) =>
  (candidate: Candidate): number | undefined => {
    const { value, matched } = candidate
    if (
      (!/\d/.test(value) && !isShuffled(value)) ||
      isPart(candidate) ||
      isHarmlessName(candidate) ||
      isPlaceholder(value) ||
      isIdentifier(value)
    )
      return undefined
    if (/[\s,;(){}]/.test(value) || /^https?:|^\.{0,2}\//.test(value)) return undefined
    const isKey = /^(?:api|access|auth|client|secret)/i.test(matched) || isTokenOfService(candidate)
    return looksRandom(value, 3.4, isKey) || isShuffled(value) ? confidence : undefined
  }

/** Values that are identified as secret only by name. Less certain than a provider's own form. */
export const ASSIGNMENT_RULES: readonly KeywordRule[] = [
  {
    type: 'password',
    severity: 'high',
    confidence: 0.75,
    anchors: PASSWORD_ANCHORS,
    pattern: `${ANY_NAME}${ASSIGN_QUOTED}${quoted(6)}`,
    ignoreCase: true,
    assess: called(IS_PASSWORD, quotedPassword),
  },
  {
    type: 'password',
    severity: 'high',
    confidence: 0.7,
    anchors: PASSWORD_ANCHORS,
    pattern: `${ANY_NAME}(?:${ASSIGN}|${SENTENCE})${barePasswordValue}`,
    ignoreCase: true,
    assess: called(IS_PASSWORD, barePassword),
  },
  {
    type: 'password',
    severity: 'high',
    confidence: 0.7,
    anchors: PASSWORD_ANCHORS,
    pattern: `(?:pass(?:word|wd|wort|phrase|e)?|pwd) ${barePasswordValue}`,
    ignoreCase: true,
    assess: spokenPassword,
  },
  {
    type: 'secret',
    severity: 'high',
    confidence: 0.75,
    anchors: SECRET_ANCHORS,
    pattern: `${ANY_NAME}${ASSIGN_QUOTED}${quoted(10)}`,
    ignoreCase: true,
    assess: called(IS_SECRET, assignedSecret(0.75)),
  },
  {
    type: 'secret',
    severity: 'high',
    confidence: 0.7,
    anchors: SECRET_ANCHORS,
    pattern: `${ANY_NAME}(?:${ASSIGN}| is:? )${bareSecret}`,
    ignoreCase: true,
    assess: called(IS_SECRET, assignedSecret(0.7)),
  },
  {
    type: 'secret-flag',
    severity: 'high',
    confidence: 0.7,
    anchors: [...PASSWORD_ANCHORS, ...SECRET_ANCHORS],
    pattern: String.raw`(?<=--(?:[a-z0-9]{1,16}-){0,3})${ANY_NAME}[ \t]{1,3}(?:["']([^"'\\\s]{6,1024})["']|${barePasswordValue})`,
    ignoreCase: true,
    assess: called(IS_EITHER, (candidate) =>
      isPart(candidate) || isPlaceholder(candidate.value) || !looksRandom(candidate.value, 2.8, true) ? undefined : 0.7,
    ),
  },
]
