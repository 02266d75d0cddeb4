import { isObject, type JsonObject } from '../../protocol/json.ts'
import type { Authenticate } from '../stores/store.ts'
import { readKeyFile, writeKeyFile } from './key-file.ts'
import { authenticationCode, keyAt, nextKey, type SealKey } from './seal-keys.ts'

/** The part of a seal's body that authenticates it. */
export interface SealProof {
  /** Id of the sequence of keys. */
  readonly key: string
  readonly index: number
  /** HMAC-SHA-256, hex. */
  readonly code: string
}

/** The proof in a seal's body; `undefined` without a valid one. */
export const proofOf = (body: JsonObject | undefined): SealProof | undefined => {
  const proof = body?.['proof']
  if (!isObject(proof)) return undefined
  const { key, index, code } = proof
  return typeof key === 'string' && typeof index === 'number' && typeof code === 'string'
    ? { key, index, code }
    : undefined
}

/** Seals that a killed process may have made beyond its key file: one call makes no more. */
const MOST_BEHIND = 10_000

/** Seals made with the keys of a file. */
export interface KeyedSeals {
  readonly authenticate: Authenticate
  /** To be called once the seals are kept: destroys the keys that made them. */
  evolve(): void
}

/**
 * Reads the key file and returns what authenticates the next seals; `undefined` without a file. A process that was
 * killed before it could destroy a key has left a seal with that key: its successor continues after it.
 */
export const openKeyedSeals = (path: string): KeyedSeals | undefined => {
  let key: SealKey | undefined = readKeyFile(path)
  if (key === undefined) return undefined
  return Object.freeze({
    authenticate: (draft, previous) => {
      const before = proofOf(previous)
      if (key === undefined) return {}
      const ahead = before?.key === key.id ? before.index + 1 : key.index
      // A forged seal may name any index; following it would take for ever, and `trace verify` finds it.
      const used = ahead > key.index && ahead - key.index <= MOST_BEHIND ? (keyAt(key, ahead) ?? key) : key
      key = nextKey(used)
      return { proof: { key: used.id, index: used.index, code: authenticationCode(used, draft) } }
    },
    evolve: () => {
      if (key !== undefined) writeKeyFile(path, key)
    },
  } satisfies KeyedSeals)
}
