import { isObject } from '../../../protocol/json.ts'

/** Whether the host treats two plugin ids as the same; it ignores case. */
export const isSameId = (one: string, other: string): boolean => one.trim().toLowerCase() === other.toLowerCase()

/** The key of a plugin in `plugins.entries`; its id when it has no entry. */
export const entryKey = (entries: unknown, id: string): string =>
  (isObject(entries) ? Object.keys(entries) : []).find((key) => isSameId(key, id)) ?? id
