import type { Json } from './json.ts'

/** Whether a number stands in a value that JSON has not given us as it was written, and that we would give back as another. */
export const holdsRounded = (value: Json): boolean => {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRounded)
}
