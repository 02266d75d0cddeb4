import { hash } from 'node:crypto'
import type { Json } from '../../protocol/json.ts'
import { isArray } from '../../protocol/json.ts'
import type { Step } from '../../protocol/step.ts'

/** Masks what of a text must not leave; `name` is that of the member it is the value of. */
export type MaskText = (name: string | undefined, text: string) => string

/** Numbers from here on can name somebody or open something. */
const TELLING_NUMBER = 10_000_000

/** A value with every string in it masked, names of members and long numbers too. */
export const maskedValue = (value: Json, mask: MaskText, name?: string): Json => {
  if (typeof value === 'string') return mask(name, value)
  if (typeof value === 'number' && Math.abs(value) >= TELLING_NUMBER) {
    const masked = mask(name, String(value))
    return masked === String(value) ? value : masked
  }
  if (value === null || typeof value !== 'object') return value
  if (isArray(value)) return value.map((item) => maskedValue(item, mask, name))
  const members = new Map<string, Json>()
  for (const [key, member] of Object.entries(value)) {
    const masked = mask(undefined, key)
    // Two names under one mask stay two: nothing is to go unseen.
    const free = members.has(masked) ? `${masked}#${members.size}` : masked
    members.set(free, maskedValue(member, mask, key))
  }
  return Object.fromEntries(members)
}

/** An id as it may leave: one that holds what must not goes as its hash, so that it stays an id. */
export const maskedId = (id: string, mask: MaskText): string => (mask(undefined, id) === id ? id : hash('sha256', id))

/** A step as it may leave the machine. */
export const maskedStep = (step: Step, mask: MaskText): Step =>
  ({ ...step, payload: maskedValue(step.payload as unknown as Json, mask) }) as Step

/** What stands where a detector here has masked something, and what scanners elsewhere put there. */
const MASK = /\[masked:[a-z0-9-]{1,48}\]|X{4,}|\*{4,}/g

/** What is cut out without leaving a mask: characters that show nothing, and what moves a terminal's cursor. */
const UNSEEN = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Whether a text is another one with something masked in it, and nothing put there instead: whoever has seen the first has
 * seen all of it.
 */
export const isMaskedForm = (text: string, masked: string): boolean => {
  const whole = text.replaceAll(UNSEEN, '')
  const parts = masked.replaceAll(UNSEEN, '').split(MASK)
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return first === whole
  if (!whole.startsWith(first)) return false
  let from = first.length
  for (const part of others) {
    const at = whole.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return whole.length - from >= last.length && whole.endsWith(last)
}
