import type { Json } from '../protocol/json.ts'
import type { Step } from '../protocol/step.ts'

/** Weight of a value of any kind: every detector evaluates a short text like a long one. */
const VALUE = 128

/** Weight from which evaluating a step takes some milliseconds. */
export const LARGE_STEP = 16_384

/** Approximate cost of evaluating a step's payload, in UTF-16 code units; counting stops above `most`. */
export const weightOf = ({ payload }: Step, most: number): number => {
  // Payloads are JSON by contract; their declared types only lack the index signature.
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
