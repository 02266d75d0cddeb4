import { isObject } from '../../../protocol/json.ts'

/** The value at a path of members; `undefined` when there is none. */
export const memberAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((one, name) => (isObject(one) && Object.hasOwn(one, name) ? one[name] : undefined), value)

/** The strings in a list. */
export const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
