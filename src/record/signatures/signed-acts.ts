import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isAbsolute, normalize } from 'node:path'
import type { FileState } from './statement.ts'

/**
 * Signed acceptances: the port for watching the files that the guard depends on. A person accepts a change by
 * `sallyport accept FILE…`.
 */
export interface SignedActs {
  /**
   * Whether a person has signed this state of the file. Only the newest statement about a path counts: an older state
   * that is restored has to be accepted anew.
   */
  accepted(state: FileState): boolean
  /** Whether a key is enrolled. Without one nothing can be accepted by signature. */
  canSign(): boolean
}

/** No key, nothing accepted: for guards without keys. */
export const NO_SIGNED_ACTS: SignedActs = Object.freeze({ accepted: () => false, canSign: () => false })

/** The state of a file as {@link SignedActs} compares it. @throws Error when it exists and cannot be read */
export const fileState = (path: string): FileState => {
  if (!isAbsolute(path)) throw new Error(`${path} is not absolute`)
  const name = normalize(path)
  try {
    return { path: name, sha256: createHash('sha256').update(readFileSync(name)).digest('hex') }
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return { path: name, sha256: null }
    throw error
  }
}
