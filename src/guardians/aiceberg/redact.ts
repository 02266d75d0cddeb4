import { hash } from 'node:crypto'
import type { Json } from '../../protocol/json.ts'
import { isArray } from '../../protocol/json.ts'
import type { Step } from '../../protocol/step.ts'

/** Masks the parts of a text that must not leave; `name` is the member that holds it. */
export type MaskText = (name: string | undefined, text: string) => string

/** Numbers from here on may identify a person or be a secret. */
const SHORTEST_SECRET_NUMBER = 10_000_000

/** A value with every string in it masked, names of members and long numbers too. */
export const maskedValue = (value: Json, mask: MaskText, name?: string): Json => {
  if (typeof value === 'string') return mask(name, value)
  if (typeof value === 'number' && Math.abs(value) >= SHORTEST_SECRET_NUMBER) {
    const masked = mask(name, String(value))
    return masked === String(value) ? value : masked
  }
  if (value === null || typeof value !== 'object') return value
  if (isArray(value)) return value.map((item) => maskedValue(item, mask, name))
  const members = new Map<string, Json>()
  for (const [key, member] of Object.entries(value)) {
    const masked = mask(undefined, key)
    // Two names with the same mask stay distinct, so that neither member is lost.
    const free = members.has(masked) ? `${masked}#${members.size}` : masked
    members.set(free, maskedValue(member, mask, key))
  }
  return Object.fromEntries(members)
}

/** An id that may leave: one that must not is hashed, so that it stays an id. */
export const maskedId = (id: string, mask: MaskText): string => (mask(undefined, id) === id ? id : hash('sha256', id))

/** A step in the form that may leave the machine. */
export const maskedStep = (step: Step, mask: MaskText): Step =>
  ({ ...step, payload: maskedValue(step.payload as unknown as Json, mask) }) as Step

/** Masks of our own detectors, and of remote scanners. */
const MASK = /\[masked:[a-z0-9-]{1,48}\]|X{4,}|\*{4,}/g

/** Characters that are removed without a mask: invisible ones, and cursor control sequences. */
const UNSEEN = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu

/** Whether a text is the masked form of another, with nothing added: an evaluation of the original covers it. */
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
