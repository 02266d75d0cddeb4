import type { Candidate, KeywordRule } from '../rule.ts'

/** Enough of a base64 body for a key, not merely a mention of one; line numbers and quoting are ignored. */
const hasKeyBody = ({ value }: Candidate): boolean => /[A-Za-z0-9+/=]{40}/.test(value) && !/(.)\1{23}/.test(value)

/** Lines in an armoured block without the dashes of its end: other dashes are single. */
const BODY = '[^-]{0,16000}(?:-(?!----)[^-]{0,4000}){0,40}'

/** The same without an end (output was cut): base64, line ends, line numbers, nothing else. */
const OPEN_BODY = String.raw`(?:[A-Za-z0-9+/=\s>|→]|\\[nrt]){40,16000}`

/** The same as lines, each with what begins all lines of a log, also as JSON in JSON writes them. */
const OPEN_LINES = String.raw`(?:(?:[\r\n]{1,4}|(?:\\{1,8}[nr]){1,2})[^\r\n\\]{0,40}?[A-Za-z0-9+/=]{16,1024}[ \t]{0,8}){1,400}`

/** Armoured keys, whole blocks with their first and last line, also with line ends escaped as in JSON. */
export const PRIVATE_KEY_RULES: readonly KeywordRule[] = [
  {
    type: 'private-key',
    severity: 'critical',
    confidence: 0.98,
    anchors: ['-----begin'],
    pattern: `-----BEGIN[ A-Z0-9_]{0,40} PRIVATE KEY(?: BLOCK)?-----(?:${BODY}-----END[ A-Z0-9_]{0,40} PRIVATE KEY(?: BLOCK)?-----|${OPEN_BODY}|${OPEN_LINES})`,
    assess: (candidate) => (hasKeyBody(candidate) ? 0.98 : undefined),
  },
  {
    type: 'putty-private-key',
    severity: 'critical',
    confidence: 0.98,
    anchors: ['private-lines:'],
    pattern: String.raw`Private-Lines: \d{1,3}(?:\r?\n|\\r?\\n)((?:[A-Za-z0-9+/=\r\n]|\\[rn]){40,8000})`,
  },
  {
    // The commercial SSH's own armour (RFC 4716 for its public half).
    type: 'private-key',
    severity: 'critical',
    confidence: 0.98,
    anchors: ['---- begin ssh2'],
    pattern: `---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----${BODY}---- END SSH2 (?:ENCRYPTED )?PRIVATE KEY ----`,
    assess: (candidate) => (hasKeyBody(candidate) ? 0.98 : undefined),
  },
  {
    type: 'age-secret-key',
    severity: 'critical',
    confidence: 0.98,
    anchors: ['age-secret-key-1'],
    pattern: 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}(?![A-Z0-9])',
    entropy: 3,
  },
]
