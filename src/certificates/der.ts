import { Buffer } from 'node:buffer'

/** DER (X.690), as far as certificates need it: values in, bytes out. Nothing is parsed here; node:crypto does that. */

const TAGS = {
  boolean: 1,
  integer: 2,
  bits: 3,
  octets: 4,
  oid: 6,
  utf8: 12,
  utcTime: 23,
  time: 24,
  sequence: 48,
  set: 49,
}

const lengthOf = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length])
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

const element = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body])
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => element(TAGS.sequence, ...items)

/** A set of one member: DER sorts larger ones, and our certificates have none. */
export const setOf = (item: Uint8Array): Buffer => element(TAGS.set, item)

export const boolean = (value: boolean): Buffer => element(TAGS.boolean, Buffer.from([value ? 0xff : 0]))

/** A non-negative integer, big-endian. */
export const integer = (bytes: Uint8Array): Buffer => {
  let first = 0
  while (first < bytes.length - 1 && bytes[first] === 0) first++
  const short = bytes.subarray(first)
  return element(TAGS.integer, (short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short)
}

/** Whole bytes, or the leading ones of them with `unused` bits at the end. */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => element(TAGS.bits, Buffer.from([unused]), bytes)

export const octets = (bytes: Uint8Array): Buffer => element(TAGS.octets, bytes)

export const utf8 = (text: string): Buffer => element(TAGS.utf8, Buffer.from(text))

const base128 = (value: number): readonly number[] => {
  const digits = [value & 0x7f]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

/** An object identifier in dotted form. */
export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(TAGS.oid, Buffer.from([first * 40 + second, ...rest.flatMap((arc) => base128(arc))]))
}

/** A point in time, to the second: UTCTime until 2049, GeneralizedTime after it (RFC 5280, 4.1.2.5). */
export const time = (at: Date): Buffer => {
  const digits = at.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)
  return at.getUTCFullYear() < 2050
    ? element(TAGS.utcTime, Buffer.from(`${digits.slice(2)}Z`))
    : element(TAGS.time, Buffer.from(`${digits}Z`))
}

/** A context-specific tag: around whole elements (`constructed`), or in place of a primitive one's own tag. */
export const tagged = (number: number, content: Uint8Array, constructed: boolean): Buffer =>
  element((constructed ? 0xa0 : 0x80) | number, content)
