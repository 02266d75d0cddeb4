import { describe, expect, test } from 'vitest'
import {
  passesBech32,
  passesBsn,
  passesCnpj,
  passesCodiceFiscale,
  passesCpf,
  passesCurp,
  passesDni,
  passesEan13,
  passesIcao,
  passesInn,
  passesMedicare,
  passesMod11And10,
  passesMyNumber,
  passesNhs,
  passesNir,
  passesNric,
  passesPesel,
  passesResidentId,
  passesSnils,
  passesTfn,
  passesVerhoeff,
} from './check-digits.ts'

/** Specimens published by the authorities or the standards, in pieces. */
const SPECIMENS: readonly (readonly [name: string, check: (text: string) => boolean, ...pieces: string[]])[] = [
  ['NHS number', passesNhs, '943', '476', '5919'],
  ['Steuer-ID', passesMod11And10, '86', '095', '742', '719'],
  ['travel document', passesIcao, 'L898902C3', '6'],
  ['NIR', passesNir, '2550814168', '025', '38'],
  ['NIR of Corsica', passesNir, '18105', '2A', '004', '008', '76'],
  ['DNI', passesDni, '12345678', 'Z'],
  ['CURP', passesCurp, 'HEGG560427', 'MVZRRL', '04'],
  ['SNILS', passesSnils, '112', '233', '445', '95'],
  ['INN', passesInn, '500100', '732259'],
  ['NIE', passesDni, 'X1234567', 'L'],
  ['codice fiscale', passesCodiceFiscale, 'RSSMRA85T10', 'A562', 'S'],
  ['Verhoeff', passesVerhoeff, '236', '3'],
  ['resident identity number', passesResidentId, '110105', '19491231', '002X'],
  ['CPF', passesCpf, '529', '982', '247', '25'],
  ['CNPJ', passesCnpj, '11222333', '0001', '81'],
  ['TFN', passesTfn, '123', '456', '782'],
  ['Medicare', passesMedicare, '2123', '45670', '1'],
  ['BSN', passesBsn, '111', '222', '333'],
  ['PESEL', passesPesel, '440514', '01359'],
  ['AHV', passesEan13, '756', '9217', '0769', '85'],
  ['NRIC', passesNric, 'S1234567', 'D'],
  ['bech32', passesBech32, 'bc1qw508d6qejxtdg4', 'y5r3zarvary0c5xw7k', 'v8f3t4'],
  ['bech32m', passesBech32, 'bc1p0xlxvlhemja6c4d', 'qv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq', 'zk5jj0'],
]

/** The text with its third character from the end replaced by another of its kind. */
const broken = (text: string): string => {
  const at = text.length - 3
  const old = text.charAt(at)
  const other = /\d/.test(old) ? String((Number(old) + 1) % 10) : old === 'A' ? 'B' : old === 'q' ? 'p' : 'q'
  return text.slice(0, at) + other + text.slice(at + 1)
}

describe('check digits', () => {
  test.each(SPECIMENS.map(([name, check, ...pieces]) => ({ name, check, text: pieces.join('') })))(
    '$name: the specimen passes, a changed one does not',
    ({ check, text }) => {
      expect([check(text), check(broken(text))]).toEqual([true, false])
    },
  )
  test('Japan: the twelfth digit follows from the others, and fails for changed ones', () => {
    const body = ['1234', '5678', '901'].join('')
    const passing = Array.from('0123456789').filter((digit) => passesMyNumber(body + digit))
    expect(passing).toEqual(['8'])
  })
})
