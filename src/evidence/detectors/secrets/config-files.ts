import type { Candidate, KeywordRule } from '../rule.ts'
import { decodeBase64 } from '../views/base64.ts'
import { isPlaceholder, isTokenPlaceholder } from './placeholder.ts'
import { LEFT, RIGHT } from './token-rules.ts'

/** Quotes, bare or escaped once, as in nested JSON. */
const QUOTE = String.raw`\\{0,1}"`

const unless =
  (isExcluded: (candidate: Candidate) => boolean, confidence: number) =>
  (candidate: Candidate): number | undefined =>
    isPlaceholder(candidate.value) || isExcluded(candidate) ? undefined : confidence

/** The password of `user:password` in base64. */
const passwordIn = (value: string): string => decodeBase64(value)?.split(':').slice(1).join(':') ?? ''

const isNoPair = ({ value }: Candidate): boolean => {
  const password = passwordIn(value)
  return password.length < 4 || !/^[\x20-\x7e]+$/.test(password) || isPlaceholder(password)
}

/** Largest distance between the private part of a web key and its type (RFC 7517, 6.2.2 of RFC 7518). */
const KEY_REACH = 3_000

const isNoWebKey = ({ text, start, end }: Candidate): boolean =>
  !/"kty\\?"/.test(text.slice(Math.max(0, start - KEY_REACH), end + KEY_REACH))

/** Words that are in every sentence and in no word list for keys (BIP 39). */
const PROSE = /(?:^| )(?:the|and|for|are|with|this|that|from|have|not|was|but|then|when|where|which|into|your)(?: |$)/

/** Twelve words, or three, six, nine or twelve more; the words of tests repeat. */
const isNoPhrase = ({ value }: Candidate): boolean => {
  const words = value.split(' ')
  return words.length % 3 !== 0 || new Set(words).size < 10 || PROSE.test(value)
}

/** Files in which tools store credentials, where the place identifies the value. */
export const CONFIG_FILE_RULES: readonly KeywordRule[] = [
  {
    // `.netrc`: a machine (or the default), the login, the password; on one line or several.
    type: 'netrc-password',
    severity: 'high',
    confidence: 0.9,
    anchors: ['machine', 'default'],
    pattern: String.raw`${LEFT}(?:machine[ \t]{1,8}[A-Za-z0-9.:_-]{1,128}|default)\s{1,16}login\s{1,16}\S{1,128}\s{1,16}(?:account\s{1,16}\S{1,128}\s{1,16})?password\s{1,16}(\S{4,256})`,
    assess: unless(() => false, 0.9),
  },
  {
    // Docker's `config.json` and pull secrets.
    type: 'docker-auth',
    severity: 'high',
    confidence: 0.95,
    anchors: ['"auth'],
    pattern: String.raw`"auth${QUOTE}\s{0,8}:\s{0,8}${QUOTE}([A-Za-z0-9+/]{8,1024}={0,2})\\{0,1}"`,
    assess: unless(isNoPair, 0.95),
  },
  {
    // Bundler's credentials of Sidekiq's gem servers: two halves of a key.
    type: 'sidekiq-secret',
    severity: 'high',
    confidence: 0.95,
    anchors: ['contribsys'],
    pattern: String.raw`contribsys(?:__|\.)com(?:["']{0,1}[ \t]{0,4}[=:][ \t]{0,4}["']{0,1}|[ \t]{1,4})([a-f0-9]{8}:[a-f0-9]{8})${RIGHT}`,
    ignoreCase: true,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.95),
  },
  {
    type: 'laravel-key',
    severity: 'high',
    confidence: 0.9,
    anchors: ['base64:'],
    pattern: String.raw`(?<=key["']{0,1}[ \t]{0,4}(?:=>|[=:])[ \t]{0,4}["']{0,1})base64:([A-Za-z0-9+/]{43}=)`,
    ignoreCase: true,
    entropy: 4,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.9),
  },
  {
    // Terraform's state contains generated random values.
    type: 'terraform-state-secret',
    severity: 'high',
    confidence: 0.9,
    anchors: ['"random_password"'],
    pattern: String.raw`"random_password"[^}]{0,2000}"result":\s{0,4}"((?:\\[^\r\n]|[^"\\\r\n]){6,256})"`,
    assess: ({ value }) => (isPlaceholder(value) ? undefined : 0.9),
  },
  {
    type: 'jwk-private-key',
    severity: 'critical',
    confidence: 0.95,
    anchors: ['"d"', '"k"', '"d\\"', '"k\\"'],
    pattern: String.raw`"[dk]${QUOTE}\s{0,4}:\s{0,4}${QUOTE}([A-Za-z0-9_-]{22,1400})\\{0,1}"`,
    entropy: 3.5,
    assess: unless(isNoWebKey, 0.95),
  },
  {
    type: 'wireguard-key',
    severity: 'critical',
    confidence: 0.95,
    anchors: ['presharedkey', 'privatekey'],
    pattern: String.raw`${LEFT}(?:preshared|private)key[ \t]{0,4}=[ \t]{0,4}([A-Za-z0-9+/]{43}=)(?![A-Za-z0-9+/=])`,
    ignoreCase: true,
    entropy: 4,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.95),
  },
  {
    // The recovery words of a wallet.
    type: 'recovery-phrase',
    severity: 'critical',
    confidence: 0.85,
    anchors: [
      'mnemonic',
      'seed phrase',
      'seed_phrase',
      'seedphrase',
      'recovery phrase',
      'recovery_phrase',
      'secret phrase',
    ],
    pattern: String.raw`(?:mnemonic|(?:seed|recovery|secret)[_ ]?phrase)["']{0,1}(?: is)?[ \t]{0,4}[:=]?[ \t]{0,4}["'\`]{0,1}((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![A-Za-z0-9]| [a-z])`,
    ignoreCase: true,
    assess: ({ value, ...rest }) => (isNoPhrase({ value: value.toLowerCase(), ...rest }) ? undefined : 0.85),
  },
  {
    type: 'database-url',
    severity: 'critical',
    confidence: 0.95,
    anchors: ['jdbc:oracle:'],
    pattern: String.raw`jdbc:oracle:[a-z0-9]{2,8}:[A-Za-z0-9_$#-]{1,64}/([^\s/@"'<>\\\`]{3,128})@`,
    ignoreCase: true,
    assess: unless(() => false, 0.95),
  },
  {
    // URLs that contain the key.
    type: 'node-provider-key',
    severity: 'medium',
    confidence: 0.85,
    anchors: ['infura.io/', 'g.alchemy.com/', 'quiknode.pro/'],
    pattern:
      '(?:infura\\.io/(?:ws/)?v3|g\\.alchemy\\.com/(?:nft/)?v[23]|quiknode\\.pro)/([A-Za-z0-9_-]{32,48})(?![A-Za-z0-9_-])',
    ignoreCase: true,
    entropy: 3,
    assess: ({ value }) => (isTokenPlaceholder(value) || !/\d/.test(value) ? undefined : 0.85),
  },
]
