import { hash } from 'node:crypto'

/** The Merkle tree of RFC 6962, section 2.1, grown leaf by leaf: only the right edge of all leaves is stored. */
export interface MerkleTree {
  /** Leaves so far. */
  size(): number
  add(leaf: Uint8Array): void
  /** Root over all leaves, 32 bytes. */
  root(): Buffer
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer')

const LEAF = Buffer.from([0])
const NODE = Buffer.from([1])

const join = (left: Buffer, right: Buffer): Buffer => sha256(NODE, left, right)

/** An empty tree. */
export const createMerkleTree = (): MerkleTree => {
  /** Roots of the full subtrees from left to right, each smaller than the one before: a bit of `count` each. */
  const edge: Buffer[] = []
  let count = 0
  return Object.freeze({
    size: () => count,
    add: (leaf: Uint8Array) => {
      let node = sha256(LEAF, leaf)
      for (let full = count; full % 2 === 1; full = (full - 1) / 2) node = join(edge.pop() as Buffer, node)
      edge.push(node)
      count++
    },
    root: () =>
      edge.reduceRight<Buffer | undefined>(
        (right, left) => (right === undefined ? left : join(left, right)),
        undefined,
      ) ?? sha256(),
  })
}
