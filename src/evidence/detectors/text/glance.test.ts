import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fake } from '../../../../test/support/fake.ts'
import { hostileText } from '../../../../test/support/hostile-text.ts'
import { unwrap } from '../injection/unwrap.ts'
import { createPiiDetector } from '../pii/pii-detector.ts'
import { createSecretsDetector } from '../secrets/secrets-detector.ts'
import { createReadViews } from '../views/read-views.ts'
import type { View } from '../views/view.ts'
import { ANYTHING, glanceAt, MARKS } from './glance.ts'

/** What one thing that is skipped needs of a text, many times or few. */
const UNITS = [
  'a ',
  'B ',
  '7 ',
  'ab ',
  '12 ',
  '65 ',
  '123456 ',
  '0x41 ',
  '41 ',
  '"a" + ',
  "'b' . ",
  'x="y" ',
  '|',
  '> a\n',
  'ab: c\n',
  'ssn,name\n',
  'a,b\n',
  '@',
  '@\n',
  '.',
  '-',
  '-----',
  '-----BEGIN',
  'PRIVATE',
  'KEY-----',
  '+',
  '(',
  '%41',
  '%',
  '&#65;',
  '&amp;',
  '&',
  '^@',
  '^',
  '=41',
  '=',
  '=\n',
  '\\',
  '\\n',
  '\\x41',
  '\\u0041',
  '\0',
  'é',
  'gur ',
  'naq ',
  'eht ',
  'dna ',
  'vtaber ',
  'tpmorp ',
  'p4ssw0rd ',
  'rul3s ',
  '1gnore ',
  'а',
  '\u200b',
  '１',

  'password: Dm\n',
  'x7Kq2p\n',
  '8726-22-635 ',
  '74971111068',
  '39ON',
  ' ',
  '\n',
  '\r',
  '\t',
  '68 70 ',
  '01100111 ',
  '10.0.0.1',
  '(030) ',
  '+49 ',
  '536-22-8726',
  btoa('text in base64 '),
  fake('ghp_', 36),
  fake('ghp_', 36).slice(0, 9),
]

const repeated = fc
  .array(fc.tuple(fc.constantFrom(...UNITS), fc.integer({ min: 1, max: 34 }), fc.boolean()), { maxLength: 6 })
  .map((parts) => parts.map(([unit, count, isMany]) => unit.repeat(isMany ? count : 1)).join(''))

const anyText = fc.oneof(repeated, hostileText, fc.string({ unit: 'binary', maxLength: 60 }))

const secrets = createSecretsDetector()
const pii = createPiiDetector()
const keys = ['ghp_', 'glpat-', 'akia', 'sk-']
const gated = createReadViews(keys)
const ungated = createReadViews(keys, () => ANYTHING)

/** A view with the places of its stretches. */
const shownBy = (view: View): readonly unknown[] => [
  view.text,
  ...Array.from({ length: Math.min(view.text.length, 24) }, (_, at) => [
    view.origin(at, at + 1),
    view.origin(at, view.text.length),
    view.settles?.(at),
  ]),
  ...(view.otherwise === undefined ? [] : shownBy(view.otherwise)),
]

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

describe('a glance', () => {
  test('shows what the text has', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const glance = glanceAt(text)
        const has = (mark: number): boolean => (glance.marks & mark) !== 0
        expect(glance).toMatchObject({
          digits: count(text, /[0-9]/g),
          capitals: count(text, /[A-Z]/g),
          dashes: count(text, /-/g),
          quotes: count(text, /["']/g),
          singles: count(text, /(?<![^ \t\r\n\f\v])[^ \t\r\n\f\v](?![^ \t\r\n\f\v])/g),
          lone: count(text, /(?<![A-Za-z0-9])[A-Za-z0-9](?![A-Za-z0-9])/g),
          inner: count(text, /(?<=[A-Za-z])[013457@$!|](?=[A-Za-z])/g),
        })
        expect(Array.from('abcdefghijklmnopqrstuvwxyz').filter((_, at) => ((glance.letters >> at) & 1) !== 0)).toEqual(
          [...new Set(text.match(/[a-z]/g))].toSorted(),
        )
        expect([
          ...['@', '\\', '%', '&', '^', '=', '+', ':'].map((sign) => text.includes(sign)),
          /[\r\n]/.test(text),
          /[\0\u0080-\uffff]/.test(text),
        ]).toEqual(Object.values(MARKS).map(has))
      }),
      { numRuns: 3000 },
    )
  })
})

describe('what is skipped by a glance changes nothing', () => {
  test('in the views of a text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(gated(text).views().map(shownBy)).toEqual(ungated(text).views().map(shownBy))
      }),
      { numRuns: 5000 },
    )
  })

  test('in what is unwrapped', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(unwrap(text)).toEqual(unwrap(text, ANYTHING))
      }),
      { numRuns: 5000 },
    )
  })

  test.each([secrets, pii])('in the findings of $id', (detector) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const everything = { glance: ANYTHING, views: () => [] }
        const known = { glance: glanceAt(text), views: () => [] }
        expect(detector.detect(text, 'tool', known)).toEqual(detector.detect(text, 'tool', everything))
      }),
      { numRuns: 5000 },
    )
  })
})

describe('the least that is anything is not skipped', () => {
  test.each([
    { name: 'single characters', text: 'a b c d e f g h', shown: 'abcdefgh' },
    {
      name: 'single characters by escapes',
      text: String.raw`a\nb\nc\nd\ne\nf\ng\nh`,
      shown: String.raw`a\nb\nc\nd\ne\nf\ng\nh`,
    },
    { name: 'parts of a number', text: 'no 12345 6789', shown: '123456789' },
    { name: 'pieces of one length', text: 'a1bb cccc dddd', shown: 'a1bbccccdddd' },
    { name: 'pieces of one length with an address', text: 'a@bb cccc dddd', shown: 'a@bbccccdddd' },
    { name: 'an address over lines', text: 'a@b.\ncom', shown: 'a@b.com' },
    { name: 'an address over written lines', text: String.raw`a@b.\ncom`, shown: 'a@b.com' },
    { name: 'a value behind its name', text: 'key: Dm\nx7Kq2p', shown: 'Dmx7Kq2p' },
    { name: 'a value behind its name with a wide sign', text: 'key\uff1aDm\nx7Kq2p', shown: 'Dmx7Kq2p' },
    { name: 'numbers of characters', text: '65 '.repeat(16), shown: 'A'.repeat(16) },
    { name: 'marked bytes', text: '0xaa '.repeat(10), shown: '\u00aa'.repeat(10) },
    { name: 'marked bytes with a backslash', text: String.raw`\xaa`.repeat(10), shown: '\u00aa'.repeat(10) },
    { name: 'lines with prefixes', text: 'ab: c\nab: d', shown: 'c\nd' },
    { name: 'lines with prefixes, written', text: String.raw`ab: c\nab: d`, shown: String.raw`c\nd` },
    { name: 'a table', text: 'a,ssn\nb,536228726', shown: '536228726' },
    { name: 'armour', text: '-----BEGINPRIVATEKEY-----\nabc', shown: '-----BEGIN PRIVATE KEY-----abc' },
    { name: 'two literals', text: 'ab" + "cd', shown: 'abcd' },
    { name: 'a number from its end', text: '6278-22-635', shown: '536-22-8726' },
    { name: 'an account from its end', text: '7ABCDEFGHIJ39ON', shown: 'NO93JIHGFEDCBA7' },
    { name: 'a phone number from its end', text: '8765 4321+', shown: '+1234 5678' },
    { name: 'an address from its end', text: 'moc.liam@anna', shown: 'anna@mail.com' },
    { name: 'a percent code', text: '%41', shown: 'A' },
    { name: 'an entity', text: '&num;', shown: '#' },
    { name: 'a caret', text: 'a^@', shown: 'a\0' },
    { name: 'a code of mails', text: '=3D', shown: '=' },
    { name: 'an escape', text: String.raw`\x41`, shown: 'A' },
    { name: 'a zero byte', text: 'a\0b\0c\0', shown: 'abc' },
    { name: 'a wide letter', text: 'Ａ', shown: 'A' },
    { name: 'tag characters', text: '\u{e0061}\u{e0062}\u{e0063}\u{e0064}', shown: 'abcd' },
  ])('$name', ({ text, shown }) => {
    expect(gated(text).views().flatMap(shownBy).join(' | ')).toContain(shown)
  })

  test.each([
    { text: 'i g n o r e a l l t h e', encoding: 'spaced' },
    { text: 'rev3al passw0rd', encoding: 'leetspeak' },
    { text: 'a gur a gur a gur a', encoding: 'rot13' },
    { text: 'a eht a eht a eht a', encoding: 'reversed' },
    { text: '%61%62%63 and the rest', encoding: 'percent' },
    { text: '&#97;&#97;&#97;&#97; and so on', encoding: 'entities' },
    { text: String.raw`\x61\x61\x61\x61 and so on`, encoding: 'escapes' },
    { text: 'p\u0430ssword of all', encoding: 'disguised' },
    {
      text: Array.from('and so on', (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join(''),
      encoding: 'invisible',
    },
  ])('$encoding', ({ text, encoding }) => {
    expect(unwrap(text).map((one) => one.encoding)).toContain(encoding)
  })

  test.each([
    { type: 'private-ipv4', text: '10.1.1.1' },
    { type: 'iban', text: 'MT29MALTABANKACCOUNTOFSOMEPERSO' },
    { type: 'card', text: 'card number 501873462953' },
    { type: 'phone', text: 'phone 555-0143' },
    { type: 'ssn', text: '536-22-8726' },
    { type: 'email', text: 'jonas@cuvox.de' },
  ])('$type', ({ type, text }) => {
    expect(pii.detect(text, 'tool').map((match) => match.type)).toEqual([type])
  })
})
