import { createHash } from 'node:crypto'
import { canonicalJson } from '../../protocol/canonical-json.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { PublicKey } from './key.ts'
import type { Signed } from './signed.ts'
import type { EnrolKeyStatement, RemoveKeyStatement } from './statement.ts'
import { isSignedBy, isSoundKey, signerOf } from './verify.ts'

/** A change of the key list: signed by a key enrolled before it, the first by itself. */
export type KeyEntry = Signed<EnrolKeyStatement | RemoveKeyStatement>

/** Predecessor of the first entry. */
export const KEY_GENESIS = '0'.repeat(64)

/** The keys that a list of entries enrols. */
export interface KeyList {
  /** Identifies the guard; empty without any entry. */
  readonly guard: string
  readonly keys: readonly PublicKey[]
  readonly entries: readonly KeyEntry[]
  /** Hash of each entry, in order. */
  readonly hashes: readonly string[]
  /** Hash of the last entry. */
  readonly head: string
}

/** A guard without keys. */
export const NO_KEYS: KeyList = { guard: '', keys: [], entries: [], hashes: [], head: KEY_GENESIS }

/** A list, or the invalid entry and the reason. */
export type ReadKeyList =
  | { readonly outcome: 'sound'; readonly list: KeyList }
  | { readonly outcome: 'broken'; readonly at: number; readonly why: string }

const hashOf = (entry: KeyEntry): string =>
  createHash('sha256')
    .update(canonicalJson(entry as unknown as JsonObject))
    .digest('hex')

/** The list with one more entry, or why the entry is invalid. */
export const withEntry = (list: KeyList, entry: KeyEntry): KeyList | string => {
  const { statement } = entry
  const first = list.entries.length === 0
  if (statement.prev !== list.head) return 'it does not follow the previous entry'
  if (statement.guard === '' || (!first && statement.guard !== list.guard)) return 'it belongs to another guard'
  const after = (keys: readonly PublicKey[]): KeyList => {
    const head = hashOf(entry)
    return { guard: statement.guard, keys, entries: [...list.entries, entry], hashes: [...list.hashes, head], head }
  }
  if (statement.act === 'enrol-key') {
    const { key } = statement
    if (!isSoundKey(key)) return 'the key does not match its entry'
    if (list.keys.some(({ id, name }) => id === key.id || name === key.name))
      return 'a key of this name or content is already enrolled'
    const signed = first ? isSignedBy(key, entry) : signerOf(list.keys, entry) !== undefined
    return signed ? after([...list.keys, key]) : 'it is not signed with an enrolled key'
  }
  if (statement.act !== 'remove-key') return 'it is not a change of the keys'
  if (!list.keys.some(({ id }) => id === statement.key)) return 'there is no such key'
  if (signerOf(list.keys, entry) === undefined) return 'it is not signed with an enrolled key'
  if (list.keys.length === 1) return 'the last key cannot be removed, because no other could then be enrolled'
  return after(list.keys.filter(({ id }) => id !== statement.key))
}

/** Verifies entries from the first to the last. Throws nothing. */
export const readKeyList = (entries: readonly KeyEntry[]): ReadKeyList => {
  let list = NO_KEYS
  for (const [at, entry] of entries.entries()) {
    let next: KeyList | string
    try {
      next = withEntry(list, entry)
    } catch {
      next = 'it cannot be read'
    }
    if (typeof next === 'string') return { outcome: 'broken', at, why: next }
    list = next
  }
  return { outcome: 'sound', list }
}

/** Whether a list continues another: it begins with the same entries. */
export const continues = (list: KeyList, head: string): boolean => head === KEY_GENESIS || list.hashes.includes(head)
