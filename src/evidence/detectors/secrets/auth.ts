import type { Candidate, KeywordRule } from '../rule.ts'
import { isPlaceholder } from './placeholder.ts'
import { looksRandom } from './randomness.ts'
import { LEFT } from './token-rules.ts'

const QUOTE = String.raw`(?:\\{0,3}["'\`])?`

/** `user:password` in base64, as in the Basic scheme; excludes words that happen to be base64. */
const isBasicPair = ({ value }: Candidate): boolean => {
  try {
    const pair = atob(value)
    return /^[\x20-\x7e]{0,256}:[\x20-\x7e]{0,256}$/.test(pair) && pair.length > 3 && !pair.startsWith('{')
  } catch {
    return false
  }
}

/** A bearer token or header value: a real one is random or at least not a word. */
const headerValue =
  (confidence: number) =>
  ({ value }: Candidate): number | undefined =>
    !/\d/.test(value) || isPlaceholder(value) || !looksRandom(value, 3, true) ? undefined : confidence

/** Passwords in a URL or on curl's command line; the user part may be the secret. */
const inlinePassword =
  (confidence: number) =>
  ({ value }: Candidate): number | undefined =>
    isPlaceholder(value) || isNameOfSecret(value) ? undefined : confidence

/** A variable's name in place of its value: `PASSWORD`, `db_pass`, `TOKEN`. */
const isNameOfSecret = (value: string): boolean =>
  /^[A-Za-z_-]*(?:pass(?:wd|word)?|pwd|secret|token|key|user(?:name)?)[A-Za-z_-]*\d?$/i.test(value)

const isAfterClient = ({ text, at }: Candidate): boolean =>
  /\b(?:curl|httpie|wget|https?)\b/.test(text.slice(Math.max(0, at - 512), at))

/** Databases and brokers, whose URLs normally contain passwords. */
const DATABASES = String.raw`(?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|cassandra|couchdb|nats|kafka|ldaps?|smtps?|ftps?|sftp)(?:\+[a-z0-9]{1,12})?`

/** Credentials in headers, URLs and on curl's command line. */
export const AUTH_RULES: readonly KeywordRule[] = [
  {
    type: 'database-url',
    severity: 'critical',
    confidence: 0.95,
    anchors: ['://'],
    pattern: `(?<=${DATABASES})://[^\\s/:@"'<>[\\\\\`]{0,64}:([^\\s/"'<>\\\\\`]{3,128})@[A-Za-z0-9[_-]`,
    ignoreCase: true,
    assess: inlinePassword(0.95),
  },
  {
    type: 'url-password',
    severity: 'high',
    confidence: 0.9,
    anchors: ['://'],
    pattern: String.raw`(?<=[a-z])://[^\s/:@"'<>[\\\`]{0,64}:([^\s/"'<>\\\`]{3,128})@[A-Za-z0-9[]`,
    ignoreCase: true,
    assess: inlinePassword(0.9),
  },
  {
    // GitHub's old form: the token is the user.
    type: 'url-password',
    severity: 'high',
    confidence: 0.9,
    anchors: [':x-oauth-basic@'],
    pattern: String.raw`(?<=://([A-Za-z0-9_-]{20,255})):x-oauth-basic@`,
    entropy: 3,
    assess: inlinePassword(0.9),
  },
  {
    type: 'curl-password',
    severity: 'high',
    confidence: 0.85,
    anchors: [' -u', ' --user ', ' --user=', ' --proxy-user '],
    pattern: String.raw` (?:-u|--(?:proxy-)?user[ =])[ \t]{0,3}${QUOTE}(?:[^\s"':$<-][^\s"':$<]{0,64})?${QUOTE}:${QUOTE}(?!//)([^\s"'<>\\\`]{3,128})`,
    assess: (candidate) => (isAfterClient(candidate) ? inlinePassword(0.85)(candidate) : undefined),
  },
  {
    // Some services expect the key as the user and an empty password.
    type: 'curl-password',
    severity: 'high',
    confidence: 0.8,
    anchors: ['-u ', '-u"', "-u'", '--user '],
    pattern: String.raw`(?:-u|--user)[ \t]{0,3}${QUOTE}([^\s"':$<]{8,128}):${QUOTE}(?=\s|$)`,
    assess: (candidate) =>
      isAfterClient(candidate) && /\d/.test(candidate.value) ? inlinePassword(0.8)(candidate) : undefined,
  },
  {
    type: 'bearer-token',
    severity: 'high',
    confidence: 0.85,
    anchors: ['bearer'],
    pattern: String.raw`(?<![A-Za-z])bearer(?:[ \t]{1,4}|%20|\+)([A-Za-z0-9._~+/=-]{12,4096})`,
    ignoreCase: true,
    assess: headerValue(0.85),
  },
  {
    type: 'basic-auth',
    severity: 'high',
    confidence: 0.9,
    anchors: ['basic '],
    pattern: String.raw`(?<![A-Za-z])basic[ \t]{1,4}([A-Za-z0-9+/]{8,1024}={0,2})(?![A-Za-z0-9+/=._-])`,
    ignoreCase: true,
    assess: (candidate) => (isBasicPair(candidate) ? 0.9 : undefined),
  },
  {
    type: 'authorization-header',
    severity: 'high',
    confidence: 0.85,
    anchors: ['authorization'],
    pattern: String.raw`${LEFT}(?:proxy-)?authorization${QUOTE}[ \t]{0,3}[:=][ \t]{0,4}${QUOTE}(?:(?:basic|token|api-token|api[_-]?key|key|sso-key|apitoken|bot)[ \t=]{1,3}${QUOTE})?([A-Za-z0-9._~+/=@-]{12,4096})`,
    ignoreCase: true,
    assess: headerValue(0.85),
  },
]
