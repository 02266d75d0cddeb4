import { hash } from 'node:crypto'

/** Without letters that are taken for digits or for each other, as Crockford has it. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const HALF = 4
/** Values of one half. */
const ROUND = DIGITS.length ** HALF
const MINUTE_MS = 60_000

const encoded = (value: number): string =>
  Array.from({ length: HALF }, (_, index) =>
    DIGITS.charAt(Math.floor(value / DIGITS.length ** (HALF - 1 - index)) % DIGITS.length),
  ).join('')

const decoded = (half: string): number =>
  Array.from(half).reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0)

/**
 * What a person passes on, such as `7F3K-9QWM`: the minute of a decision, which comes again after 728 days, then some of a
 * hash that says which one it is.
 */
export const referenceOf = (at: number, seed: string): string =>
  `${encoded(Math.floor(at / MINUTE_MS) % ROUND)}-${encoded(Number.parseInt(hash('sha256', seed).slice(0, 8), 16) % ROUND)}`

/** A half as it may be written by hand: small letters, letters for digits. */
const READ = /^([0-9A-HJKMNP-TV-Z]{4})-?([0-9A-HJKMNP-TV-Z]{4})$/

/** A reference as it was given out, however a person writes it; `undefined` for what is none. */
export const readReference = (text: string): string | undefined => {
  const [, minute, which] = READ.exec(text.trim().toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')) ?? []
  return minute === undefined || which === undefined ? undefined : `${minute}-${which}`
}

/** The last minute up to `now` in which a reference can have been given out; milliseconds since the epoch, both inclusive. */
export const minuteOf = (reference: string, now: number): { readonly since: number; readonly until: number } => {
  const current = Math.floor(now / MINUTE_MS)
  const ago = (((current - decoded(reference.slice(0, HALF))) % ROUND) + ROUND) % ROUND
  const since = (current - ago) * MINUTE_MS
  return { since, until: since + MINUTE_MS - 1 }
}
