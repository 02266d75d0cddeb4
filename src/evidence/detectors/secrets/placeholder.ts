import { isSpecimen } from './specimens.ts'

/**
 * Words for placeholders in documentation and code. The guard's own masks are included: a masked value is never found
 * again.
 */
const MARKS =
  /example|sample|placeholder|change[-_ ]?me|replace|your[-_ ]|insert|dummy|redacted|\[masked|masked|removed|hidden|x{4}|\*{3}|\.{3}|…|•|<[^>]*>?|\$\{|\$\(|\{\{|\}\}|%\(|%[sdv]\b|#\{|process\.env|os\.environ|getenv|secrets\.|vault:|1password|op:\/\//i

/** The same for values of a fixed form, in which short words also occur by chance. */
const MARKS_IN_TOKENS = /example|placeholder|your[-_]|redacted|masked|x{5}|\*{3}|\.{3}/i

const RUNS = ['abcdefghijklmnopqrstuvwxyz', '01234567890123456789', 'qwertyuiop', '9876543210', '0123456789abcdef0']

/**
 * Length of the longest piece that follows the alphabet, the digits or the keyboard; limited to the first 256
 * characters.
 */
const longestRun = (value: string): number => {
  const folded = value.slice(0, 256).toLowerCase()
  let longest = 0
  for (let from = 0, to = 1; to <= folded.length; to++) {
    const piece = folded.slice(from, to)
    if (RUNS.some((run) => run.includes(piece))) longest = Math.max(longest, to - from)
    else from++
  }
  return longest
}

/** No generator produces a run of eight; in a long value the run has to be a considerable part. */
const hasRun = (value: string): boolean => longestRun(value) >= Math.max(8, value.length / 5)

const SAME_SIX = /(.)\1{5}/

/** Whether a provider's token is a placeholder of documentation. */
export const isTokenPlaceholder = (value: string): boolean =>
  MARKS_IN_TOKENS.test(value) || SAME_SIX.test(value) || hasRun(value) || isSpecimen(value)

const STOCK_PASSWORDS =
  /^(?:pass(?:word|wd|phrase)?|pwd|secret|token|test|testing|user(?:name)?|admin|root|guest|demo|foo|bar|baz|qwerty|none|null|nil|undefined|true|false|yes|no|string|str|text|letmein|welcome|default|empty|x-oauth-basic|abc|xyz|123|my|the|some|new|old|db|hunter|postgres|mysql|redis|mongo|myuser|mypass|mypassword|api|key|fake|mock|[-_.\d!@#$])+$/i

/** Whether the value in place of a secret is a placeholder, a variable or a stock word. */
export const isPlaceholder = (value: string): boolean =>
  MARKS.test(value) || /^[$%@&!{[(]/.test(value)
    ? !isRealDespiteMark(value)
    : STOCK_PASSWORDS.test(value) || isFlat(value) || isSpecimen(value)

/** A leading sign alone does not make a variable: `!x7Kq…` is a password. */
const isRealDespiteMark = (value: string): boolean =>
  !MARKS.test(value) && /^[!@&%]/.test(value) && /\d/.test(value) && !isFlat(value)

/** Very few different characters, or a run of the alphabet. */
const isFlat = (value: string): boolean => new Set(value).size < Math.min(5, value.length) || hasRun(value)
