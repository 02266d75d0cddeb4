import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ownSecretRules } from './own-secrets.ts'
import { SECRET_RULES, createSecretsDetector } from './secrets-detector.ts'

// Generated at run time, as the guard generates its own.
const TOKEN = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 73 + 41) % 256)).toString('base64url')
const HEX = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 151 + 7) % 256)).toString('hex')

const detector = createSecretsDetector([...ownSecretRules([TOKEN, HEX]), ...SECRET_RULES])
const found = (text: string): readonly string[] =>
  detector
    .detect(text, 'tool')
    .filter(({ type }) => type === 'guard-token')
    .map(({ start, end }) => text.slice(start, end))

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const percent = (text: string): string =>
  text
    .split('')
    .map((one) => `%${one.charCodeAt(0).toString(16)}`)
    .join('')

test.each([
  { name: 'plain', text: `the file says ${TOKEN} and ends`, hidden: TOKEN },
  { name: 'in a line of settings', text: `{"Authorization":"Bearer ${HEX}"}`, hidden: HEX },
  { name: 'its first half', text: `> ${TOKEN.slice(0, 22)}`, hidden: TOKEN.slice(0, 22) },
  { name: 'its second half', text: `> ${HEX.slice(32)}\n`, hidden: HEX.slice(32) },
  { name: 'a middle piece', text: TOKEN.slice(9, 33), hidden: TOKEN.slice(12, 33) },
  { name: 'reversed', text: TOKEN.split('').toReversed().join(''), hidden: TOKEN.split('').toReversed().join('') },
  { name: 'base64', text: `out: ${base64(`${TOKEN}\n`)}`, hidden: base64(`${TOKEN}\n`).slice(0, 40) },
  {
    name: 'base64 with other text around it',
    text: base64(`Bearer ${HEX} x`),
    hidden: base64(`Bearer ${HEX} x`).slice(16, 60),
  },
  { name: 'base64 twice', text: base64(base64(TOKEN)), hidden: base64(base64(TOKEN)).slice(8, 60) },
  { name: 'hexadecimal', text: Buffer.from(TOKEN).toString('hex'), hidden: Buffer.from(TOKEN).toString('hex') },
  {
    name: 'hexadecimal in capitals',
    text: Buffer.from(TOKEN).toString('hex').toUpperCase(),
    hidden: Buffer.from(TOKEN).toString('hex').toUpperCase(),
  },
  { name: 'percent codes', text: `?t=${percent(TOKEN)}`, hidden: percent(TOKEN) },
  { name: 'wrapped at ten', text: TOKEN.replace(/.{10}/g, '$&\n'), hidden: TOKEN.replace(/.{10}/g, '$&\n') },
  { name: 'spaced', text: TOKEN.split('').join(' '), hidden: TOKEN.split('').join(' ') },
  { name: 'in pieces of source', text: `'${TOKEN.slice(0, 20)}' + '${TOKEN.slice(20)}'`, hidden: TOKEN.slice(0, 20) },
])('finds it $name', ({ text, hidden }) => {
  expect(found(text).join('')).toContain(hidden)
})

/** Rows of sixteen with an offset before each, as in dumps. */
const rows = (bytes: Buffer, row: (chunk: Buffer, at: number) => string): string =>
  Array.from({ length: Math.ceil(bytes.length / 16) }, (_, at) =>
    row(bytes.subarray(at * 16, at * 16 + 16), at * 16),
  ).join('\n')
const hexPairs = (chunk: Buffer): readonly string[] => chunk.toString('hex').match(/../g) ?? []
const shown = (chunk: Buffer): string => chunk.toString('latin1').replaceAll(/[^ -~]/g, '.')
const settings = Buffer.from(`{ "headers": { "Authorization": "Bearer ${TOKEN}" } }\n`)
const scalar = Buffer.from(HEX, 'hex')

test.each([
  {
    name: 'xxd',
    text: rows(
      settings,
      (chunk, at) =>
        `${at.toString(16).padStart(8, '0')}: ${(chunk.toString('hex').match(/.{1,4}/g) ?? []).join(' ').padEnd(39)}  ${shown(chunk)}`,
    ),
  },
  {
    name: 'hexdump -C',
    text: rows(settings, (chunk, at) => {
      const pairs = hexPairs(chunk)
      const columns = `${pairs.slice(0, 8).join(' ')}  ${pairs.slice(8).join(' ')}`.padEnd(48)
      return `${at.toString(16).padStart(8, '0')}  ${columns}  |${shown(chunk)}|`
    }),
  },
  {
    name: 'od -c',
    text: rows(
      Buffer.from(`${TOKEN}\n`),
      (chunk, at) =>
        `${at.toString(8).padStart(7, '0')}${[...chunk].map((one) => (one === 10 ? '  \\n' : `   ${String.fromCharCode(one)}`)).join('')}`,
    ),
  },
  {
    name: 'od',
    text: rows(
      Buffer.from(`${TOKEN}\n`),
      (chunk, at) =>
        `${at.toString(8).padStart(7, '0')} ${Array.from({ length: Math.floor(chunk.length / 2) }, (_, word) =>
          chunk
            .readUInt16LE(word * 2)
            .toString(8)
            .padStart(6, '0'),
        ).join(' ')}`,
    ),
  },
  {
    name: 'hexdump',
    text: rows(
      Buffer.from(`${TOKEN}\n`),
      (chunk, at) =>
        `${at.toString(16).padStart(7, '0')} ${Array.from({ length: Math.floor(chunk.length / 2) }, (_, word) =>
          chunk
            .readUInt16LE(word * 2)
            .toString(16)
            .padStart(4, '0'),
        ).join(' ')}`,
    ),
  },
  {
    name: 'openssl -text',
    text: `Private-Key: (256 bit)\npriv:\n${(
      hexPairs(scalar)
        .join(':')
        .match(/.{1,45}/g) ?? []
    )
      .map((line) => `    ${line}`)
      .join('\n')}\npub:`,
  },
  { name: 'a list of bytes', text: JSON.stringify(Buffer.from(TOKEN)) },
  {
    name: 'C escapes',
    text: hexPairs(Buffer.from(TOKEN))
      .map((pair) => `\\x${pair}`)
      .join(''),
  },
  { name: 'lines of eight', text: settings.toString().replaceAll(/.{8}/g, '$&\n') },
])('leaves no usable part of it in a dump by $name', ({ text }) => {
  const masked = detector
    .detect(text, 'tool')
    .toReversed()
    .reduce((all, { start, end }) => all.slice(0, start) + '#' + all.slice(end), text)
  expect(masked).toContain('#')
  const plain = masked.replaceAll(/[^A-Za-z\d_-]/g, '')
  for (let at = 0; at + 8 <= TOKEN.length; at++) {
    expect(plain).not.toContain(TOKEN.slice(at, at + 8))
    expect(plain).not.toContain(Buffer.from(TOKEN.slice(at, at + 8)).toString('hex'))
  }
  expect(masked.replaceAll(/[^\da-f]/g, '')).not.toContain(HEX.slice(20, 40))
})

test.each([
  { name: 'another token of its kind', text: Buffer.from(HEX.slice(8), 'hex').toString('base64url') },
  { name: 'eight of its characters', text: TOKEN.slice(0, 8) },
  { name: 'its name', text: 'approver-token sallyport token' },
])('finds nothing in $name', ({ text }) => {
  expect(found(text)).toEqual([])
})

test('only tokens are searched for', () => {
  expect(ownSecretRules(['', 'short', 'two lines\nof text that is long', 'x'.repeat(300)])).toEqual([])
})

test('law: at any place in a text, no 16 characters of the guard’s token are left', () => {
  const token = fc.base64String({ minLength: 44, maxLength: 44 }).map((text) => text.replace(/[+/=]/g, '-'))
  fc.assert(
    fc.property(token, fc.string(), fc.string(), (own, before, after) => {
      fc.pre(new Set(own).size > 8)
      const one = createSecretsDetector(ownSecretRules([own]))
      const text = `${before} ${own} ${after}`
      let left = text
      for (const { start, end } of one.detect(text, 'tool').toReversed()) left = left.slice(0, start) + left.slice(end)
      for (let at = 0; at + 16 <= own.length; at++) expect(left).not.toContain(own.slice(at, at + 16))
    }),
    { numRuns: 50 },
  )
})
