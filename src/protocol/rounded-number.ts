import type { Json } from './json.ts'

/** Whether a value contains a number that JSON parsing has changed, and that would be written differently. */
export const holdsRounded = (value: Json): boolean => {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRounded)
}
