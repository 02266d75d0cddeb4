import type { Json } from '../../protocol/json.ts'
import { isArray } from '../../protocol/json.ts'
import type { Step } from '../../protocol/step.ts'

/** Masks what of a text must not leave; `name` is that of the member it is the value of. */
export type MaskText = (name: string | undefined, text: string) => string

/** A value with every string in it masked; names of members stay. */
export const maskedValue = (value: Json, mask: MaskText, name?: string): Json => {
  if (typeof value === 'string') return mask(name, value)
  if (value === null || typeof value !== 'object') return value
  if (isArray(value)) return value.map((item) => maskedValue(item, mask, name))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskedValue(member, mask, key)]))
}

/** A step as it may leave the machine. */
export const maskedStep = (step: Step, mask: MaskText): Step =>
  ({ ...step, payload: maskedValue(step.payload as unknown as Json, mask) }) as Step
