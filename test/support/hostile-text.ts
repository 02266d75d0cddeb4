import fc from 'fast-check'
import { fake } from './fake.ts'

/** Pieces from which texts close to the rules are made, and pieces that are hostile to any text handling. */
const PIECES = [
  fake('AKIA', 16, 'base32'),
  fake('ghp_', 36),
  fake('AIza', 35, 'url'),
  'password=',
  '"password": "',
  'token: ',
  'Bearer ',
  'https://user:',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  fake('', 64, 'base64'),
  'Zx9!wq7L',
  '4111111111111111',
  '536-22-8726',
  'jonas@cuvox.de',
  '+44 7700 900 123',
  '10.1.2.3',
  'eyJhbGciOiJIUzI1NiJ9.e30.abc',
  '[masked:password]',
  '[masked:',
  '"',
  "'",
  '\\',
  '\\n',
  '\n',
  ' ',
  '@',
  '=',
  '\u0000',
  '\ud83d',
  '\ude00',
  '😀',
  'é',
  'İ',
]
/** Texts that are close to what the rules look for, with anything between. */
export const hostileText = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ unit: 'binary', maxLength: 6 })), {
    maxLength: 14,
  })
  .map((parts) => parts.join(''))
