import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { SallyportError } from '../../errors/errors.ts'
import { continues, KEY_GENESIS, NO_KEYS, readKeyList, withEntry } from './key-list.ts'
import type { KeyEntry, KeyList } from './key-list.ts'

/** Longest file of keys that is read, in characters. */
const LONGEST = 1_048_576

/** The keys of a guard, in a file that any process of its user can write: each read is verified. */
export interface Keyring {
  /**
   * The keys in force. When the file was replaced by one that does not continue it, the last accepted keys stay, and
   * `changed` gets the reason.
   */
  current(): KeyList
  /** Why the file is rejected; `undefined` when it is valid. */
  fault(): string | undefined
  /** Adds an entry and writes the file, completely or not at all. @throws SallyportError SP_KEY_ENTRY */
  append(entry: KeyEntry): KeyList
}

/** Options of a keyring. */
export interface KeyringOptions {
  readonly path: string
  /** Last accepted head of the list, by this guard or another on the same data folder; none: 64 zeros. */
  readonly seen?: string
  /** Called with a new valid list, or with the reason for a rejection. */
  readonly changed?: (change: { readonly list: KeyList } | { readonly fault: string }) => void
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? '' : '?'
  }
}

/** Identifies one state of a file: only the system sets its change time. */
const statusOf = (path: string): string => {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? '' : `${stats.dev} ${stats.ino} ${stats.size} ${stats.ctimeNs}`
  } catch {
    return '?'
  }
}

const parse = (text: string): KeyList | string => {
  if (text === '') return NO_KEYS
  if (text.length > LONGEST) return 'it is too long'
  let entries: unknown
  try {
    entries = JSON.parse(text)
  } catch {
    return 'it is not JSON'
  }
  if (!Array.isArray(entries)) return 'it is not a list'
  const read = readKeyList(entries as readonly KeyEntry[])
  return read.outcome === 'sound' ? read.list : `entry ${read.at + 1}: ${read.why}`
}

/** Opens the keys of a guard. Throws nothing: an invalid file is a {@link Keyring.fault}. */
export const openKeyring = ({ path, seen = KEY_GENESIS, changed = () => {} }: KeyringOptions): Keyring => {
  let text: string | undefined
  let status: string | undefined
  let list = NO_KEYS
  let head = seen
  let fault: string | undefined

  const read = (): void => {
    const there = statusOf(path)
    if (there === status) return
    status = there
    const now = readText(path)
    if (now === text) return
    text = now
    const next = parse(now)
    const why =
      typeof next === 'string'
        ? next
        : continues(next, head)
          ? undefined
          : 'it does not continue the list of keys that the guard last read'
    const before = fault
    fault = why
    if (why !== undefined || typeof next === 'string') {
      if (why !== undefined && why !== before) changed({ fault: why })
      return
    }
    const isNew = next.head !== list.head
    list = next
    head = next.head
    if (isNew || before !== undefined) changed({ list })
  }

  return Object.freeze<Keyring>({
    current() {
      read()
      return list
    },
    fault() {
      read()
      return fault
    },
    append(entry) {
      read()
      if (fault !== undefined) throw new SallyportError('SP_KEYS_CHANGED', { why: fault })
      const next = withEntry(list, entry)
      if (typeof next === 'string') throw new SallyportError('SP_KEY_ENTRY', { why: next })
      writeFileSync(`${path}.new`, `${JSON.stringify(next.entries, null, 1)}\n`, { mode: 0o600 })
      renameSync(`${path}.new`, path)
      read()
      return list
    },
  })
}
