import { fake } from '../../../test/support/fake.ts'

/** What kind of thing a value is: the category of the finding that is right for it. */
type Category = 'secret' | 'pii'

/** A kind of value that the detectors find when it is written plainly. */
export interface ValueKind {
  readonly name: string
  readonly category: Category
  /** What people call it, as a label or the name of a column. */
  readonly label: string
  /** The value of this number, assembled at run time: nothing here is anybody's. */
  readonly make: (seed: number) => string
  /** The same form with something wrong, so that it is none: a check digit, an issuer, a placeholder. */
  readonly nearMiss: (seed: number) => string
  /** Holds letters: rot13 changes it. */
  readonly letters: boolean
}

const digits = (length: number, seed: number): string => fake('', length, 'digits', seed)

/** The digit that makes a card number pass its check (ISO/IEC 7812-1). */
const luhnDigit = (body: string): string => {
  let sum = 0
  for (let i = 0; i < body.length; i++) {
    const digit = Number(body.charAt(body.length - 1 - i))
    sum += i % 2 === 1 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return String((10 - (sum % 10)) % 10)
}

const card = (issuer: string, length: number, seed: number): string => {
  const body = issuer + digits(length - issuer.length - 1, seed)
  return body + luhnDigit(body)
}

const otherDigit = (digit: string): string => String((Number(digit) + 1) % 10)
const wrongLast = (value: string): string => value.slice(0, -1) + otherDigit(value.slice(-1))

/** Country and bank with the check digits that are right for them (ISO 7064, MOD 97-10). */
const iban = (country: string, bban: string): string => {
  let rest = 0
  for (const character of `${bban}${country}00`) {
    const number = Number.parseInt(character, 36)
    rest = (rest * (number > 9 ? 100 : 10) + number) % 97
  }
  return `${country}${String(98 - rest).padStart(2, '0')}${bban}`
}

const GIVEN = ['anna', 'jonas', 'marek', 'lucia', 'pieter', 'yusuf', 'mira', 'henrik'] as const
const FAMILY = ['lindqvist', 'okafor', 'brandt', 'moreau', 'castellano', 'nowak', 'haddad', 'vermeer'] as const
const HOST = ['cuvox.de', 'teleworm.us', 'rhyta.com', 'einrot.com', 'gustr.com', 'fleckens.hu'] as const

const pick = <T>(from: readonly T[], seed: number): T => from[seed % from.length] as T
const area = (seed: number): string => String(100 + ((seed * 137) % 560)).padStart(3, '0')
const pair = (seed: number): string => String(11 + ((seed * 29) % 80))
const serial = (seed: number): string => String(1103 + ((seed * 7919) % 8800)).padStart(4, '0')

const key = (
  name: string,
  make: (seed: number) => string,
  nearMiss: (seed: number) => string,
  label = 'api key',
): ValueKind => ({ name, category: 'secret', label, make, nearMiss, letters: true })

/** Kinds of keys, of numbers of people and of addresses, with a near miss of each. */
export const VALUE_KINDS: readonly ValueKind[] = [
  key(
    'github',
    (seed) => fake('ghp_', 36, 'alnum', seed),
    (seed) => fake('ghp_', 20, 'alnum', seed),
    'github token',
  ),
  key(
    'aws',
    (seed) => fake('AKIA', 16, 'base32', seed),
    (seed) => fake('AKIA', 11, 'base32', seed),
    'access key id',
  ),
  key(
    'anthropic',
    (seed) => `${fake('sk-ant-api03-', 93, 'url', seed)}AA`,
    (seed) => fake('sk-ant-', 20, 'lower', seed),
  ),
  key(
    'gitlab',
    (seed) => fake('glpat-', 20, 'alnum', seed),
    (seed) => fake('glpat-', 9, 'alnum', seed),
    'gitlab token',
  ),
  key(
    'stripe',
    (seed) => fake(['sk', 'live', ''].join('_'), 24, 'alnum', seed),
    (seed) => fake(['sk', 'live', ''].join('_'), 8, 'alnum', seed),
  ),
  key(
    'google',
    (seed) => fake('AIza', 35, 'alnum', seed),
    (seed) => fake('AIza', 20, 'alnum', seed),
  ),
  key(
    'npm',
    (seed) => fake('npm_', 36, 'alnum', seed),
    (seed) => fake('npm_', 12, 'alnum', seed),
    'npm token',
  ),
  key(
    'slack',
    (seed) => `xoxb-${digits(12, seed)}-${digits(12, seed + 50)}-${fake('', 24, 'alnum', seed)}`,
    () => ['xoxb', 'your', 'bot', 'token'].join('-'),
    'slack token',
  ),
  {
    name: 'card',
    category: 'pii',
    label: 'card number',
    make: (seed) => card(pick(['4', '51', '4539', '5555'], seed), 16, seed),
    nearMiss: (seed) => wrongLast(card('4', 16, seed)),
    letters: false,
  },
  {
    name: 'amex',
    category: 'pii',
    label: 'card number',
    make: (seed) => card('37', 15, seed),
    nearMiss: (seed) => wrongLast(card('37', 15, seed)),
    letters: false,
  },
  {
    name: 'ssn',
    category: 'pii',
    label: 'ssn',
    make: (seed) => `${area(seed)}-${pair(seed)}-${serial(seed)}`,
    nearMiss: (seed) => `000-${pair(seed)}-${serial(seed)}`,
    letters: false,
  },
  {
    name: 'iban',
    category: 'pii',
    label: 'iban',
    make: (seed) => iban(pick(['DE', 'AT'], seed), digits(seed % 2 === 0 ? 18 : 16, seed)),
    nearMiss: (seed) => wrongLast(iban('DE', digits(18, seed))),
    letters: true,
  },
  {
    name: 'email',
    category: 'pii',
    label: 'email',
    make: (seed) => `${pick(GIVEN, seed)}.${pick(FAMILY, seed + 3)}@${pick(HOST, seed)}`,
    nearMiss: (seed) => `${pick(GIVEN, seed)}@example.com`,
    letters: true,
  },
  {
    name: 'phone',
    category: 'pii',
    label: 'phone',
    make: (seed) => `+44 7700 9${String(10_000 + ((seed * 311) % 89_999)).slice(0, 5)}`,
    nearMiss: (seed) => `+999 ${digits(4, seed)} ${digits(4, seed + 1)}`,
    letters: false,
  },
]
