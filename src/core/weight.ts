import type { Json } from '../protocol/json.ts'
import type { Step } from '../protocol/step.ts'

/** What a value of any kind weighs: a short text is looked at by every detector as a long one is. */
const VALUE = 128

/** A weight above which a step takes some milliseconds to be looked at. */
export const LARGE_STEP = 16_384

/** About the UTF-16 code units that looking at a step's payload comes to; counting ends where it is more than `most`. */
export const weightOf = ({ payload }: Step, most: number): number => {
  // Payloads are JSON by contract; their declared types only leave out the index signature.
  const open: Json[] = [payload as unknown as Json]
  let weight = 0
  for (let value = open.pop(); value !== undefined && weight <= most; value = open.pop()) {
    weight += typeof value === 'string' ? VALUE + value.length : VALUE
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      weight += value.length
      if (weight <= most) for (const item of value as readonly Json[]) open.push(item)
    } else
      for (const [name, member] of Object.entries(value)) {
        weight += name.length
        open.push(member)
      }
  }
  return weight
}
