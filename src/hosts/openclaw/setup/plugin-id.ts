import { isObject } from '../../../protocol/json.ts'

/** Whether two ids of plugins are the same to the host, which takes them whatever their case. */
export const isSameId = (one: string, other: string): boolean => one.trim().toLowerCase() === other.toLowerCase()

/** The key under which `plugins.entries` holds a plugin; its id where it holds none. */
export const entryKey = (entries: unknown, id: string): string =>
  (isObject(entries) ? Object.keys(entries) : []).find((key) => isSameId(key, id)) ?? id
