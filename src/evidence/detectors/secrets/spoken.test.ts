import { describe, expect, test } from 'vitest'
import { createSecretsDetector } from './secrets-detector.ts'
import { SPOKEN_RULES } from './spoken.ts'

const detector = createSecretsDetector(SPOKEN_RULES)
const word = ['Tr0ub4', 'dor&3'].join('')
const found = (text: string): readonly string[] =>
  detector.detect(text, 'user').map(({ start, end }) => text.slice(start, end))

describe('a password in a sentence', () => {
  test.each([
    'The password for the new server is …, and it changes on Monday.',
    'Das Passwort für den Server lautet …, bitte löschen.',
    'Kennwort: …',
    'Mot de passe : …',
    'La contraseña del servidor es … y nada más.',
    'La password è …, grazie.',
    'A senha é … e vale até segunda.',
    'Het wachtwoord is ….',
    'Hasło do serwera to …, proszę usunąć.',
    'Şifre …, teşekkürler.',
    'Пароль от сервера — …, удалите.',
    '密码是…，请删除。',
    'パスワードは…です。',
    '비밀번호는 …입니다.',
    'كلمة المرور هي …',
    'पासवर्ड … है',
  ])('is found: %s', (sentence) => {
    expect(found(sentence.replace('…', word))).toEqual([word])
  })

  test.each([
    'Das Passwort ist abgelaufen seit 2024-11-12.',
    'Kennwort: mindestens 12 Zeichen',
    'Change your password http://example.com/Reset12',
    'offline [Password Cracking](https://example.com/T1110/002)',
    'La clave es leer primero el capítulo 12.',
    '密码：至少8位',
    'The password is changeme1A.',
  ])('is not found: %s', (sentence) => {
    expect(found(sentence)).toEqual([])
  })
})
