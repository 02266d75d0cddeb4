import type { Signature } from './key.ts'
import type { Statement } from './statement.ts'

/** A statement with its signature. */
export interface Signed<T extends Statement = Statement> {
  readonly statement: T
  readonly signature: Signature
}
