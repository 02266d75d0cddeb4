import { describe, expect, test } from 'vitest'
import { fake } from '../../../../test/support/fake.ts'
import { createPiiDetector } from './pii-detector.ts'

const detector = createPiiDetector()

const phonesIn = (text: string): readonly string[] =>
  detector.detect(text, 'tool').flatMap(({ type, start, end }) => (type === 'phone' ? [text.slice(start, end)] : []))

/** A number of this form, the same at each run: `#` stands for a digit. */
const numberLike = (form: string, seed: number): string => {
  const digits = fake('', 16, 'digits', seed + 1)
  let at = 0
  return form.replaceAll('#', () => digits.charAt(at++))
}

/** National and international forms by country, as people write them. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  US: ['(415) 6##-####', '415-6##-####', '415.6##.####', '1-415-6##-####', '+1 415 6## ####', '(415)6##-#### x12'],
  GB: [
    '07700 9#####',
    '01632 9#####',
    '07700 9## ###',
    '020 79## ####',
    '(0161) 4## ####',
    '+44 (0)20 79## ####',
    '0044 7700 9#####',
  ],
  DE: ['0171/23####5', '(030) 23##5##', '+49 (0) 171 / 29####5', '030 - 29 ## ## 5', '+49-89-23####'],
  FR: ['06 12 9# ## 3#', '01.42.9#.##.3#', '+33 6 12 9# ## 3#', '+33(0)6.12.9#.##.3#'],
  ES: ['+34 612 9## ###', '0034 612 9## ###'],
  IT: ['+39 347 29# ####', '06 29## ####'],
  NL: ['06-129#####', '06 129#####', '+31 6 129# ####', '020-62# ## ##'],
  CH: ['044 62# ## ##', '+41 79 62# ## ##'],
  SE: ['070-62# ## ##', '+46 (0)70 62# ## ##'],
  AU: ['0412 6## ###', '(02) 9### ####', '+61 412 6## ###', '1300 6## ###'],
  BR: ['(11) 98###-####', '(21) 2###-####', '+55 11 98###-####'],
  JP: ['090-62##-####', '03-62##-####', '+81 90-62##-####'],
  KR: ['010-62##-####', '+82-10-62##-####'],
  CN: ['138 62## ####', '+86 138 62## ####'],
  RU: ['8 (912) 62#-##-##', '+7 912 62#-##-##', '8-912-62#-##-##'],
  IN: ['+91 98### #####', '+91-98########'],
  TR: ['0532 62# ## ##', '+90 532 62# ## ##'],
}

/** Forms that other numbers have too, which count where a word speaks of a telephone. */
const SHARED: readonly string[] = [
  '612 9## ###',
  '98### 6####',
  '415 6## ####',
  '62 9# ## 3#',
  '62## 9###',
  '017162####5',
  '0171 23####5',
  '412 62 9##',
  '333 62#####',
  '55 62## 9###',
]

/** Forms that count only right by a name for a telephone number. */
const ANY: readonly string[] = [
  '4156######',
  '62## ###',
  '62-9#-##-3#',
  '1386#######',
  '447700######',
  '99 66####',
  '62# ####',
]

/** Texts that say nothing of a telephone. */
const PLAIN: readonly string[] = [
  'Hi Ana, my colleague Tom ({}) takes over while I am away.',
  'Best regards\nJo Meyer\nNorth Works Ltd\n{}\njo@north.example',
  'Jo Meyer | Sales | {} | Leeds',
  'the plumber said {}, but nobody answers',
  'name,city,contact\nJo,Leeds,{}\n',
  '- Jo: {}\n- Ana: none\n',
  'You can try **{}** until five.',
  '"{}"',
]

/** Texts with a word that may speak of a telephone. */
const HINTED: readonly string[] = [
  'Jo at the desk: {} until noon.',
  'His number changed, it is {} since May.',
  'If in doubt contact Jo ({}).',
  'T: {}\nE: jo@north.example',
  'Main office {}, open all day',
  'Caller asked to speak to Jo, {}.',
  'Il mio numero è {}',
  'Si quieres, escríbeme al {}',
]

/** Texts that name it. */
const NAMED: readonly string[] = [
  'Phone: {}',
  'Tel. {}',
  'Tel.: {} (Jo)',
  'ph no {}',
  'direct line {}',
  'contact details - {}',
  'Tel/Fax {}',
  'Mobile: {}\nWeb: north.example',
  'mob: {}',
  'Cell {}, please',
  'My phone number is {}.',
  'call me on {} after six',
  'Please call Jo back at {} today',
  'You can reach our team at {}.',
  'ring me on {}',
  'just text me {}',
  'WhatsApp {}',
  'Dial {} and wait',
  'give me a call at {}',
  'Landline: {}',
  '☎ {}',
  '{"name": "Jo", "phone": "{}"}',
  '{"mobileNumber":"{}"}',
  '{"phones": {"home": "{}"}}',
  "phone = '{}'",
  'phone={}',
  '<a href="tel:{}">',
  'name,phone\nJo,{}\n',
  '| name | mobile |\n|---|---|\n| Jo | {} |\n',
  'Rufnummer: {}',
  'Handy {}',
  'Sie erreichen mich unter {}.',
  'Bitte rufen Sie {} an',
  'Téléphone : {}',
  'Appelez-moi au {}',
  'Joignable au {} le matin',
  'Teléfono: {}',
  'Llámame al {}',
  'Cellulare: {}',
  'Chiamami al {}',
  'Telemóvel {}',
  'Ligue para {}',
  'Telefoonnummer {}',
  'Bel me op {}',
  'zadzwoń pod {}',
  'телефон {}',
  '电话：{}',
  '電話番号 {}',
  '전화 {}',
  'هاتف {}',
  '{} (mobile)',
  '{}-Fax',
]

const filled = (forms: readonly string[], texts: readonly string[]): readonly (readonly [string, string])[] =>
  forms.flatMap((form, row) =>
    texts.map((text, at) => {
      const number = numberLike(form, row * 13 + at)
      return [number, text.replace('{}', number)] as const
    }),
  )

const covers = (found: readonly string[], number: string): boolean =>
  found.some((one) => one.replaceAll(/\D/g, '').includes(number.replace(/ x.*/, '').replaceAll(/\D/g, '').slice(0, 12)))

const missed = (forms: readonly string[], texts: readonly string[]): readonly string[] =>
  filled(forms, texts).flatMap(([number, text]) => (covers(phonesIn(text), number) ? [] : [text]))

const found = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => phonesIn(text).map((one) => `${one} in ${text}`))

describe('telephone numbers', () => {
  test.each(Object.entries(FORMS))('of %s by their form', (_, forms) => {
    expect(missed(forms, PLAIN)).toEqual([])
  })
  test.each(Object.entries(FORMS))('of %s by a name', (_, forms) => {
    expect(missed(forms, NAMED)).toEqual([])
  })
  test('of a form that others share, by a hint', () => {
    expect(missed(SHARED, HINTED)).toEqual([])
  })
  test('of a form that others share, by a name', () => {
    expect(missed(SHARED, NAMED)).toEqual([])
  })
  test('of any form, by a name', () => {
    expect(missed(ANY, NAMED)).toEqual([])
  })
})

/** What precedes or surrounds numbers of other kinds. */
const OTHER_KINDS: readonly string[] = [
  'Order no. {}',
  'order {} was shipped',
  'invoice number {}',
  'Rechnung Nr. {}',
  'ticket {}',
  'tracking: {}',
  '{"id": "{}"}',
  '{"order_id": "{}"}',
  'account number: {}',
  'Konto {}',
  'customer no. {}',
  'Kundennummer: {}',
  'your booking reference is {}',
  'claim number {}',
  'policy {}',
  'serial {}',
  'part number {}',
  'SKU: {}',
  'barcode {}',
  'passport no. {}',
  'zip code {}',
  'employee id {}',
  'case {}',
  'commande n° {}',
  'VAT {}',
]

describe('other numbers', () => {
  test('of a form that telephone numbers have, but a name of their own', () => {
    const forms = [...SHARED, ...ANY, '0171 23####5', '415-6##-####', '06 12 9# ## 3#', '138 62## ####']
    expect(found(filled(forms, OTHER_KINDS).map(([, text]) => text))).toEqual([])
  })
  test('of shared forms without a word', () => {
    const texts = ['{}', 'about {} of them', 'values {} and more', 'x = {};', '[{}]', 'took {} in all', 'row {}']
    expect(found(filled([...SHARED, ...ANY], texts).map(([, text]) => text))).toEqual([])
  })
  test.each([
    ['dates', 'call on 2026-11-23 or 23.11.2026, office hours 09:00-17:30, 01-02-2026 10:30, 20261123'],
    ['ranges of years', 'work 2019-2024, office 2010-2015, contact 1999/2003'],
    ['addresses of machines', 'call 203.0.113.14, reach 198.51.100.7 or 10.20.130.14; my phone has 192.0.2.44'],
    ['versions', 'mobile 10.15.7, phone firmware v14.4.1, Chrome 131.0.6778.86, tel 2.10.1234'],
    ['times and stamps', '1732365000 1732365000123 [1732365000.123] 12:30:45.123456 20261123T101530Z'],
    ['code points and bytes', '0020 0050 0057 0061, 080 087 078 069, 48 65 6c 6c 6f 20 77, 01 02 03 04 05'],
    ['drawn numbers', 'This week: 04 11 23 31 45'],
    ['coordinates', 'at 48.858400, 2.294500 and (40.712776, -74.005974), meet at 52.5200066'],
    ['books and journals', 'ISBN 978-3-16-148410-0, 0-306-40615-2, ISSN 0317-8471, call number 978-0-306-40615-7'],
    ['an IBAN', 'IBAN DE02 1203 0000 0000 2020 51 for the rent'],
    ['amounts', 'reached 12 345 678 users, 1 234 567 € in total, paid 612 345 678 USD, 98 765 432 bytes'],
    ['sums and thousands', '612,345,678 and 1,234,567 and 612 + 345 - 678'],
    ['hashes and keys', 'd41d8cd98f00b204e9800998ecf8427e, 550e8400-e29b-41d4-a716-446655440000'],
    ['paths and fractions', 'pages 0171/23/45.html, 2026/11/23, 1/2, build/0171/2345678.log'],
    ['lines of code', 'dialColor(0x12345678); ring.push(98765432); call(12345678); lines 245-1024'],
    [
      'a list of things that a phone is one of',
      '"Smartphone": "1801728041", "Sneakers": "7471004231", "Hat": "9341004231"',
    ],
    ['standards', 'the phone follows RFC 7540 8.1.2.4 and ISO 27001 2022, ITU E.164'],
    ['lines of a log', '[0012] 0345 ms, pid 12345 678, request 00098 45612, 0000045612 0000045613'],
  ])('%s', (_, text) => {
    expect(phonesIn(text)).toEqual([])
  })
})
