import { describe, expect, test } from 'vitest'
import { EFFECT_KINDS } from '../protocol/evidence.ts'
import { EFFECT_TAGS, FINDING_TAGS, nearestWord } from './vocabulary.ts'

describe('effect tags', () => {
  test.each(['fs.delete', 'fs.delete@home', 'fs.delete+recursive', 'certain:fs.delete+force@unresolved'])(
    '%s is valid',
    (tag) => {
      expect(EFFECT_TAGS.has(tag)).toBe(true)
    },
  )

  test.each([
    { tag: 'fs.delet', nearest: 'fs.delete' },
    { tag: 'fs.delete@hom', nearest: 'fs.delete@home' },
    { tag: 'fs.delete+recursiv@hone', nearest: 'fs.delete+recursive@home' },
    { tag: 'certain:net.sent', nearest: 'certain:net.send' },
    { tag: 'fs.delete@home+recursive', nearest: undefined },
    { tag: 'fs.delete@home ', nearest: 'fs.delete@home' },
    { tag: '', nearest: undefined },
  ])('"$tag" is unknown; nearest: $nearest', ({ tag, nearest }) => {
    expect(EFFECT_TAGS.has(tag)).toBe(false)
    expect(EFFECT_TAGS.nearest(tag)).toBe(nearest)
  })
})

describe('finding tags', () => {
  test.each(['secret', 'secret:aws-access-key', 'secret!high', 'prompt_injection'])('%s is valid', (tag) => {
    expect(FINDING_TAGS.has(tag)).toBe(true)
  })

  test.each([
    { tag: 'secrets', nearest: 'secret' },
    { tag: 'secret!hgh', nearest: 'secret!high' },
    { tag: 'pi:card', nearest: 'pii:card' },
    { tag: 'pii:Card', nearest: 'pii:card' },
    { tag: 'pii:card!high', nearest: undefined },
  ])('"$tag" is unknown', ({ tag, nearest }) => {
    expect(FINDING_TAGS.has(tag)).toBe(false)
    if (nearest !== undefined) expect(FINDING_TAGS.nearest(tag)).toBe(nearest)
  })
})

test('a word unlike all others has no nearest one', () => {
  expect(nearestWord('banana', EFFECT_KINDS)).toBeUndefined()
  expect(nearestWord('net.fetsch', EFFECT_KINDS)).toBe('net.fetch')
})
