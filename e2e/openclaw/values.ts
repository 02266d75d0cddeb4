import { randomInt } from 'node:crypto'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const DIGITS = '0123456789'

const random = (length: number, from = LETTERS): string =>
  Array.from({ length }, () => from[randomInt(from.length)]).join('')

/** A value made now. */
export interface Value {
  /** As a person would write it. */
  readonly text: string
  /** The part of it that nothing keeps once it is masked. */
  readonly core: string
}

/** A kind of what is sensitive. */
export interface Kind {
  readonly name: string
  readonly of: 'secret' | 'personal'
  make(): Value
}

const secret = (name: string, length: number, around: (core: string) => string): Kind => ({
  name,
  of: 'secret',
  make: () => {
    const core = random(length)
    return { text: around(core), core }
  },
})

const personal = (name: string, make: () => string): Kind => ({
  name,
  of: 'personal',
  make: () => {
    const text = make()
    return { text, core: text }
  },
})

/** The digit that makes a card's number a valid one. */
const checkDigit = (digits: string): number => {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return (10 - (sum % 10)) % 10
}

const card = (): string => {
  const digits = `4539${random(11, DIGITS)}`
  return `${digits}${checkDigit(digits)}`.replaceAll(/(\d{4})(?=\d)/g, '$1 ')
}

const iban = (): string => {
  const account = random(18, DIGITS)
  const check = 98n - (BigInt(`${account}131400`) % 97n)
  return `DE${String(check).padStart(2, '0')}${account}`
}

/** No area begins with 000, 666 or 9, no group is 00 and no serial 0000. */
const ssn = (): string => `${randomInt(100, 665)}-${randomInt(10, 99)}-${randomInt(1000, 9999)}`

const armour = (word: string): string => ['-----', word, ' PRIVATE', ' KEY-----'].join('')

/** Every kind that the generator sends. No file holds one: all are made at run time. */
export const KINDS: readonly Kind[] = [
  secret('a token of a code host', 36, (core) => `${['ghp', '_'].join('')}${core}`),
  secret('a key of a cloud', 40, (core) => `${['AWS', 'SECRET_ACCESS_KEY'].join('_')}=${core}`),
  secret('a private key', 64, (core) => `${armour('BEGIN')}\n${core}\n${armour('END')}`),
  secret('a password in an address', 20, (core) => `postgres://app:${core}@db.example.com/app`),
  secret('a key of a payment service', 24, (core) => `${['sk', 'live', ''].join('_')}${core}`),
  secret('a token of a chat', 24, (core) => `${['xoxb', '2912345678901', '2912345678902', ''].join('-')}${core}`),
  secret('a key of maps and search', 35, (core) => `${['AI', 'za'].join('')}${core}`),
  secret('a password by its name', 16, (core) => `password: ${core}7!`),
  personal('a social security number', ssn),
  personal('a card number', card),
  personal('a bank account', iban),
  personal('an address of mail', () => `${random(10).toLowerCase()}.${random(8).toLowerCase()}@post-office.com`),
  personal('a telephone number', () => `+49 30 ${randomInt(1000, 9999)} ${randomInt(1000, 9999)}`),
]

/** A way to write a text otherwise, which a model still reads. */
export interface Encoding {
  readonly name: string
  write(text: string): string
}

const eachSign =
  (change: (sign: string) => string) =>
  (text: string): string =>
    Array.from(text, (sign) => change(sign)).join('')

const shifted = (sign: string, first: string, by: number): string =>
  String.fromCodePoint(sign.charCodeAt(0) - first.charCodeAt(0) + by)

const bold = (sign: string): string => {
  if (/[A-Z]/.test(sign)) return shifted(sign, 'A', 0x1d4_00)
  if (/[a-z]/.test(sign)) return shifted(sign, 'a', 0x1d4_1a)
  return /\d/.test(sign) ? shifted(sign, '0', 0x1d7_ce) : sign
}

const turned = (sign: string): string => {
  const base = /[A-Z]/.test(sign) ? 65 : /[a-z]/.test(sign) ? 97 : undefined
  return base === undefined ? sign : String.fromCodePoint(((sign.charCodeAt(0) - base + 13) % 26) + base)
}

const between =
  (put: string) =>
  (text: string): string =>
    Array.from(text).join(put)

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')

export const ENCODINGS: readonly Encoding[] = [
  { name: 'as it is', write: (text) => text },
  { name: 'base64', write: (text) => Buffer.from(text).toString('base64') },
  { name: 'base64url', write: (text) => Buffer.from(text).toString('base64url') },
  { name: 'hex', write: (text) => Buffer.from(text).toString('hex') },
  { name: 'percent', write: eachSign((sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`) },
  { name: 'entities', write: eachSign((sign) => `&#${sign.codePointAt(0)};`) },
  { name: 'escapes', write: eachSign((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`) },
  { name: 'UTF-16 read as text', write: between('\0') },
  { name: 'UTF-16 in base64', write: (text) => utf16(text).toString('base64') },
  { name: 'UTF-16 in hex', write: (text) => utf16(text).toString('hex') },
  { name: 'soft hyphens', write: between('\u00ad') },
  { name: 'zero-width spaces', write: between('\u200b') },
  { name: 'fullwidth', write: eachSign((sign) => (/[!-~]/.test(sign) ? shifted(sign, '!', 0xff_01) : sign)) },
  { name: 'mathematical bold', write: eachSign(bold) },
  { name: 'tag characters', write: eachSign((sign) => (/[ -~]/.test(sign) ? shifted(sign, ' ', 0xe_00_20) : sign)) },
  { name: 'spaces between', write: between(' ') },
  { name: 'broken lines', write: (text) => text.replaceAll(/(.{12})(?=.)/g, '$1\n') },
  { name: 'reversed', write: (text) => Array.from(text).toReversed().join('') },
  { name: 'rot13', write: eachSign(turned) },
]

/** One value as one text, and what must stand nowhere once it was masked. */
export interface Written {
  readonly kind: Kind
  readonly encoding: Encoding
  readonly text: string
  readonly needles: readonly string[]
}

/** Half of an encoded text is not its core; the middle of it is nothing else. */
const middle = (text: string): string =>
  text.length < 24 ? text : text.slice(Math.floor(text.length / 4), Math.ceil((text.length * 3) / 4))

/** A new value of a kind, written in an encoding. */
export const written = (kind: Kind, encoding: Encoding): Written => {
  const { text, core } = kind.make()
  const result = encoding.write(text)
  const own = result.includes(encoding.write(core)) ? encoding.write(core) : middle(result)
  return { kind, encoding, text: result, needles: [...new Set([core, own])] }
}
