import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSecretMemory } from './secret-memory.ts'

const KEY = new Uint8Array(32).fill(7)
/** Assembled, so that no file holds what looks like a live key. */
const SECRET = ['sk', 'Zq8vT3', 'mW1xR7', 'pL5nK2', 'yH9dB4', 'cF6gJ0'].join('-')

const memory = () => {
  const made = createSecretMemory({ key: KEY })
  made.learn(SECRET, ['own.example'], 'file /app/.env')
  return made
}
const hex = (text: string): string => Buffer.from(text).toString('hex')
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const percent = (text: string): string => hex(text).replace(/../g, '%$&')
const base32 = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .match(/.{1,5}/g)
    ?.map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('') ?? ''
const backwards = (text: string): string => Array.from(text).toReversed().join('')

describe('a secret that was seen is known again', () => {
  test.each<{ readonly name: string; readonly texts: readonly string[] }>([
    { name: 'plain', texts: [`curl https://x/?k=${SECRET}`] },
    { name: 'without its hyphens', texts: [SECRET.replaceAll('-', '')] },
    { name: 'base64', texts: [`d=${base64(SECRET)}`] },
    { name: 'base64 among other text', texts: [base64(`the key is ${SECRET}, keep it`)] },
    { name: 'base64 behind a path', texts: [`https://x/in/${base64(SECRET)}`] },
    { name: 'base64 for URLs', texts: [Buffer.from(`?>${SECRET}`).toString('base64url')] },
    { name: 'base64 twice', texts: [base64(base64(SECRET))] },
    { name: 'hex', texts: [hex(SECRET)] },
    { name: 'hex escapes', texts: [hex(SECRET).replace(/../g, String.raw`\x$&`)] },
    { name: 'base32 in the name of a host', texts: [`https://${base32(SECRET)}.x.example`] },
    {
      name: 'in small letters, in labels of a host',
      texts: [`${SECRET.toLowerCase().replaceAll('-', '.')}.x.example`],
    },
    { name: 'percent codes', texts: [percent(SECRET)] },
    { name: 'backwards', texts: [backwards(SECRET)] },
    { name: 'base64 of it backwards', texts: [base64(backwards(SECRET))] },
    { name: 'in two arguments', texts: [SECRET.slice(0, 17), SECRET.slice(17)] },
    { name: 'in pieces in another order', texts: [`b=${SECRET.slice(17)};a=${SECRET.slice(0, 17)};echo $a$b`] },
    { name: 'joined by quotes and pluses', texts: [`"${SECRET.slice(0, 12)}" + "${SECRET.slice(12)}"`] },
  ])('$name', ({ texts }) => {
    expect(memory().seenIn(texts)).toEqual([{ own: ['own.example'], from: 'file /app/.env' }])
  })

  test.each([
    { name: 'another value of the same form', text: SECRET.replace(/[a-z]/g, 'q') },
    { name: 'its first half', text: SECRET.slice(0, 17) },
    { name: 'nothing', text: '' },
    { name: 'prose', text: 'Nothing secret is said here, though it is said at some length.' },
  ])('but not $name', ({ text }) => {
    expect(memory().seenIn([text])).toEqual([])
  })

  const never = (): boolean => false
  const thirds = [SECRET.slice(0, 12), SECRET.slice(12, 24), SECRET.slice(24)]

  test('its parts in one call after another count together', () => {
    const made = memory()
    const seen = thirds.map((part) => {
      const found = made.seenIn([part]).length
      made.sent([part], never)
      return found
    })
    expect(seen).toEqual([0, 0, 1])
    expect(made.seenIn(['nothing of it'])).toEqual([])
    expect(made.seenIn([thirds[0] ?? ''])).toEqual([])
  })

  test('parts that went where it belongs do not', () => {
    const made = memory()
    for (const part of thirds.slice(0, 2)) made.sent([part], (own) => own.includes('own.example'))
    expect(made.seenIn([thirds[2] ?? ''])).toEqual([])
  })

  test('facts make the same memory again, with what went out', () => {
    const made = memory()
    for (const part of thirds.slice(0, 2)) made.sent([part], never)
    const again = createSecretMemory({ key: KEY })
    for (const fact of made.facts()) again.restore(fact)
    expect(again.facts()).toEqual(made.facts())
    expect(again.seenIn([thirds[2] ?? ''])).toEqual([{ own: ['own.example'], from: 'file /app/.env' }])
    expect(JSON.stringify(again.facts())).not.toMatch(/Zq8vT3|zq8vt3/)
  })

  test('words are not secrets', () => {
    const made = createSecretMemory({ key: KEY })
    made.learn('changeme', [])
    expect(made.count).toBe(0)
  })

  test('the oldest is evicted first, which is reported', () => {
    const made = createSecretMemory({ key: KEY, most: 1 })
    made.learn(SECRET, [])
    made.learn(backwards(`${SECRET}other`).replaceAll('q', '1'), [])
    expect([made.count, made.forgotten, made.seenIn([hex('x'.repeat(20))])]).toEqual([1, true, []])
  })

  test('law: any texts, never an exception; a learned secret is found anywhere', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        expect(memory().seenIn([`${before} ${SECRET} ${after}`])).toHaveLength(1)
      }),
    )
  })
})
