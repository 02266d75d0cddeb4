/** Checksums of national numbers, as their authorities publish them. All take the bare number, in upper case. */

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * digit(digits, at), 0)

/** United Kingdom, NHS number. */
export const passesNhs = (digits: string): boolean => {
  const check = (11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11
  return check < 10 && check === digit(digits, 9)
}

/** ISO 7064 MOD 11,10: German tax identification numbers. */
export const passesMod11And10 = (digits: string): boolean => {
  let product = 10
  for (let at = 0; at < digits.length - 1; at++) {
    const sum = (digit(digits, at) + product) % 10
    product = ((sum === 0 ? 10 : sum) * 2) % 11
  }
  return (11 - product) % 10 === digit(digits, digits.length - 1)
}

/** Travel documents (ICAO 9303): letters have values from ten on, weights 7, 3, 1. */
export const passesIcao = (text: string): boolean => {
  let sum = 0
  for (let at = 0; at < text.length - 1; at++) sum += Number.parseInt(text.charAt(at), 36) * ([7, 3, 1][at % 3] ?? 1)
  return sum % 10 === digit(text, text.length - 1)
}

/** France, social security number with its key. */
export const passesNir = (text: string): boolean => {
  const body = Number(text.slice(0, 13).replace('2A', '19').replace('2B', '18'))
  return 97 - (body % 97) === Number(text.slice(13))
}

/** Spain, identity numbers of citizens and foreigners. */
export const passesDni = (text: string): boolean => {
  const number = Number(text.slice(0, -1).replace('X', '0').replace('Y', '1').replace('Z', '2'))
  return 'TRWAGMYFPDXBNJZSQVHLCKE'.charAt(number % 23) === text.at(-1)
}

/** Values of characters in odd places of an Italian code, by the value of the character. */
const CODICE_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

/** Italy, codice fiscale. */
export const passesCodiceFiscale = (text: string): boolean => {
  let sum = 0
  for (let at = 0; at < 15; at++) {
    const code = Number.parseInt(text.charAt(at), 36)
    const value = code < 10 ? code : code - 10
    sum += at % 2 === 0 ? (CODICE_ODD[value] ?? 0) : value
  }
  return String.fromCharCode(65 + (sum % 26)) === text.at(-1)
}

/** The multiplication of the dihedral group of ten. */
const dihedral = (a: number, b: number): number =>
  a < 5 ? (b < 5 ? (a + b) % 5 : ((a + b) % 5) + 5) : b < 5 ? ((a - b + 5) % 5) + 5 : (a - b + 5) % 5

const VERHOEFF = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

/** Verhoeff's check: India's Aadhaar. */
export const passesVerhoeff = (digits: string): boolean => {
  let check = 0
  for (let at = 0; at < digits.length; at++) {
    let value = digit(digits, digits.length - 1 - at)
    for (let round = 0; round < at % 8; round++) value = VERHOEFF[value] ?? 0
    check = dihedral(check, value)
  }
  return check === 0
}

/** China, resident identity number (GB 11643, ISO 7064 MOD 11-2). */
export const passesResidentId = (text: string): boolean => {
  const sum = weighted(text, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2])
  return '10X98765432'.charAt(sum % 11) === text.at(-1)
}

/** Japan, individual number. */
export const passesMyNumber = (digits: string): boolean => {
  const rest = weighted(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
  return (rest <= 1 ? 0 : 11 - rest) === digit(digits, 11)
}

const brazilian = (digits: string, weights: readonly number[]): number => {
  const rest = weighted(digits, weights) % 11
  return rest < 2 ? 0 : 11 - rest
}

const downFrom = (from: number): readonly number[] => Array.from({ length: from - 1 }, (_, at) => from - at)

/** Brazil, number of a person. */
export const passesCpf = (digits: string): boolean =>
  !/^(\d)\1+$/.test(digits) &&
  brazilian(digits, downFrom(10)) === digit(digits, 9) &&
  brazilian(digits, downFrom(11)) === digit(digits, 10)

/** Brazil, number of a business. */
export const passesCnpj = (digits: string): boolean =>
  !/^(\d)\1+$/.test(digits) &&
  brazilian(digits, [5, 4, 3, 2, ...downFrom(9)]) === digit(digits, 12) &&
  brazilian(digits, [6, 5, 4, 3, 2, ...downFrom(9)]) === digit(digits, 13)

/** Australia, tax file number of eight or nine digits. */
export const passesTfn = (digits: string): boolean =>
  weighted(digits, digits.length === 9 ? [1, 4, 3, 7, 5, 8, 6, 9, 10] : [10, 7, 8, 4, 6, 3, 5, 1]) % 11 === 0

/** Australia, Medicare card. */
export const passesMedicare = (digits: string): boolean =>
  weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digit(digits, 8)

/** Netherlands, citizen service number. */
export const passesBsn = (digits: string): boolean =>
  weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && !/^(\d)\1+$/.test(digits)

/** Poland, PESEL. */
export const passesPesel = (digits: string): boolean =>
  (10 - (weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10 === digit(digits, 10)

/** Article numbers (EAN-13), whose check Swiss insurance numbers use. */
export const passesEan13 = (digits: string): boolean =>
  (10 - (weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === digit(digits, 12)

/** Singapore, identity numbers. */
export const passesNric = (text: string): boolean => {
  const first = text.charAt(0)
  const sum = weighted(text.slice(1), [2, 7, 6, 5, 4, 3, 2]) + (first === 'T' || first === 'G' ? 4 : 0)
  const letters = first === 'S' || first === 'T' ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK'
  return letters.charAt(sum % 11) === text.at(-1)
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const BECH32_GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

const bech32Step = (state: number, value: number): number => {
  const top = state >>> 25
  let next = ((state & 0x1ffffff) << 5) ^ value
  BECH32_GENERATOR.forEach((part, bit) => {
    if (((top >> bit) & 1) === 1) next ^= part
  })
  return next
}

/** Bitcoin's addresses in bech32 and bech32m (BIP 173, BIP 350), lower case. */
export const passesBech32 = (address: string): boolean => {
  const cut = address.lastIndexOf('1')
  const human = Array.from(address.slice(0, cut), (letter) => letter.charCodeAt(0))
  const data = Array.from(address.slice(cut + 1), (letter) => BECH32.indexOf(letter))
  if (data.includes(-1)) return false
  const values = [...human.map((code) => code >> 5), 0, ...human.map((code) => code & 31), ...data]
  const state = values.reduce(bech32Step, 1)
  return state === 1 || state === 0x2bc830a3
}

const CURP_SIGNS = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'

/** Mexico, CURP: the last digit of the population registry key, weights from 18 down. */
export const passesCurp = (text: string): boolean => {
  let sum = 0
  for (let at = 0; at < 17; at++) sum += CURP_SIGNS.indexOf(text.charAt(at)) * (18 - at)
  return (10 - (sum % 10)) % 10 === digit(text, 17)
}

/** Russia, SNILS: nine digits, weights from 9 down, and two check digits. */
export const passesSnils = (text: string): boolean => {
  let sum = 0
  for (let at = 0; at < 9; at++) sum += digit(text, at) * (9 - at)
  return (sum % 101) % 100 === Number(text.slice(9))
}

/** Russia, taxpayers' numbers of people: twelve digits, the last two check digits. */
export const passesInn = (text: string): boolean =>
  (weighted(text, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === digit(text, 10) &&
  (weighted(text, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === digit(text, 11)
