import { fake } from '../../../test/support/fake.ts'

/** A value without a form of its own: only the header of its column identifies it. */
export interface ColumnValue {
  readonly column: string
  readonly category: 'secret' | 'pii'
  readonly make: (seed: number) => string
}

/** A password as people make them: a word, digits, a sign. */
export const password = (seed: number): string =>
  `${fake('K', 4, 'lower', seed)}${fake('', 2, 'digits', seed)}!${fake('q', 3, 'letters', seed)}`

const digits = (length: number, seed: number): string => fake('', length, 'digits', seed)
const month = (seed: number): string => String(1 + (seed % 12)).padStart(2, '0')
const day = (seed: number): string => String(2 + ((seed * 7) % 26)).padStart(2, '0')

/** Columns as exports of customer data, of password managers and of personnel have them. */
export const COLUMN_VALUES: readonly ColumnValue[] = [
  { column: 'password', category: 'secret', make: password },
  { column: 'api_key', category: 'secret', make: (seed) => fake('', 32, 'lower', seed) },
  { column: 'client_secret', category: 'secret', make: (seed) => fake('', 40, 'alnum', seed) },
  { column: 'access token', category: 'secret', make: (seed) => fake('', 40, 'alnum', seed) },
  { column: 'ssn', category: 'pii', make: (seed) => `${300 + (seed % 300)}${22 + (seed % 60)}${1200 + seed * 17}` },
  { column: 'SSN', category: 'pii', make: (seed) => `${300 + (seed % 300)} ${22 + (seed % 60)} ${1200 + seed * 17}` },
  { column: 'phone', category: 'pii', make: (seed) => `0490 ${digits(2, seed)} 40 81` },
  { column: 'passport_number', category: 'pii', make: (seed) => `C${fake('', 8, 'digits', seed)}` },
  { column: 'date_of_birth', category: 'pii', make: (seed) => `19${60 + (seed % 39)}-${month(seed)}-${day(seed)}` },
  { column: 'dob', category: 'pii', make: (seed) => `${day(seed)}/${month(seed)}/19${60 + (seed % 39)}` },
]

/** A table of three columns, the telling one in the middle, last or first, with the places of its values. */
export const tableOf = (column: string, values: readonly string[], delimiter: string, place: number): string => {
  const row = (id: string, name: string, value: string): string => {
    const cells = [id, name]
    cells.splice(place, 0, value)
    return cells.join(delimiter)
  }
  return `${row('id', 'name', column)}\n${values.map((value, at) => row(String(at + 1), 'Anna', value)).join('\n')}\n`
}

/** How people announce it; `…` is the password. */
export const SENTENCES: readonly (readonly [language: string, sentence: string])[] = [
  ['en', 'The password is … and it changes on Monday.'],
  ['en', 'My password for the staging server is …'],
  ['de', 'Das Passwort lautet …, bitte nicht weitergeben.'],
  ['de', 'Das Passwort für den Server ist …'],
  ['de', 'Kennwort: …'],
  ['fr', 'Le mot de passe est …, merci.'],
  ['fr', 'Mot de passe : …'],
  ['es', 'La contraseña es … y no la compartas.'],
  ['es', 'La clave del servidor es …'],
  ['it', 'La password è …, non dirlo a nessuno.'],
  ['it', 'La parola d’ordine è …'],
  ['pt', 'A senha é … e vale até segunda.'],
  ['pt', 'A palavra-passe do servidor é …'],
  ['nl', 'Het wachtwoord is …, niet doorgeven.'],
  ['pl', 'Hasło to …, proszę nie przekazywać.'],
  ['pl', 'Hasło do serwera: …'],
  ['tr', 'Şifre …, kimseyle paylaşmayın.'],
  ['tr', 'Parola: …'],
  ['ru', 'Пароль: …, никому не говорите.'],
  ['ru', 'Пароль от сервера — …'],
  ['uk', 'Пароль до сервера: …'],
  ['zh', '密码是…，请勿外传。'],
  ['zh', '服务器的密码：…'],
  ['ja', 'パスワードは…です。'],
  ['ja', 'パスワード：…'],
  ['ko', '비밀번호는 …입니다.'],
  ['ko', '비밀번호: …'],
  ['ar', 'كلمة المرور هي …'],
  ['hi', 'पासवर्ड … है'],
]

/** The same with a word or a placeholder where the password would stand, and sentences about passwords. */
export const HARMLESS_SENTENCES: readonly string[] = [
  'Das Passwort lautet wie üblich.',
  'Das Passwort ist abgelaufen, bitte ändern.',
  'Kennwort: mindestens zwölf Zeichen, davon 2 Ziffern',
  'Le mot de passe est obligatoire.',
  'Mot de passe : 8 caractères minimum',
  'La contraseña es demasiado corta.',
  'La clave del problema es la memoria.',
  'La clave es leer primero el capítulo 12.',
  'La password è scaduta.',
  'A senha é obrigatória.',
  'Het wachtwoord is verlopen.',
  'Hasło jest wymagane.',
  'Hasło: minimum 8 znaków',
  'Şifre gerekli.',
  'Пароль обязателен.',
  'Пароль: не менее 8 символов',
  '密码是必填项。',
  '密码：至少8位',
  'パスワードは必須です。',
  'パスワード：8文字以上',
  '비밀번호는 필수입니다.',
  'كلمة المرور مطلوبة',
  'The password is required.',
  'The password is wrong, try again.',
]
