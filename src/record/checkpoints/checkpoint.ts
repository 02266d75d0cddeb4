import { GUARD_SESSION, type EventStore } from '../stores/store.ts'
import { createMerkleTree, type MerkleTree } from './merkle-tree.ts'

/**
 * A checkpoint of the guard's chain (https://c2sp.org/tlog-checkpoint): the log's leaves are the hashes, 32 bytes each, of the
 * events of the guard's chain in their order.
 */
export interface Checkpoint {
  /** Names the log. */
  readonly origin: string
  /** Events of the guard's chain. */
  readonly size: number
  /** Root of the RFC 6962 tree, 32 bytes. */
  readonly root: Buffer
}

/** The body of a checkpoint, to be signed as a note. */
export const writeCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`

/** Reads the text of a note as a checkpoint; lines after the third are extensions, and skipped. */
export const readCheckpoint = (text: string): Checkpoint | undefined => {
  const [origin, size, root] = text.split('\n')
  if (origin === undefined || origin === '' || size === undefined || !/^(?:0|[1-9]\d{0,14})$/.test(size))
    return undefined
  const bytes = Buffer.from(root ?? '', 'base64')
  return bytes.length === 32 ? { origin, size: Number(size), root: bytes } : undefined
}

/** Consecutive notes of a file, each from its first line to its last signature. */
export const splitNotes = (text: string): readonly string[] => {
  const notes: string[] = []
  let lines: string[] = []
  for (const line of text.split('\n')) {
    const isSigned = lines.at(-1)?.startsWith('\u2014 ') === true
    if (isSigned && !line.startsWith('\u2014 ')) {
      notes.push(`${lines.join('\n')}\n`)
      lines = []
    }
    if (lines.length > 0 || line.trim() !== '') lines.push(line)
  }
  return lines.length === 0 ? notes : [...notes, `${lines.join('\n')}\n`]
}

/** Adds the events of the guard's chain after the tree's end, up to `limit` leaves in all. */
export const growTree = async (
  tree: MerkleTree,
  store: Pick<EventStore, 'events'>,
  limit = Number.POSITIVE_INFINITY,
): Promise<void> => {
  if (tree.size() >= limit) return
  for await (const { hash } of store.events({ session: GUARD_SESSION, fromSeq: tree.size() + 1, limit: Infinity })) {
    tree.add(Buffer.from(hash, 'hex'))
    if (tree.size() >= limit) return
  }
}

/** How a checkpoint compares with a store. */
export type CheckpointState = 'holds' | 'shorter' | 'other'

/** Compares checkpoints with a store's current state, in one pass over the guard's chain. */
export const compareCheckpoints = async (
  checkpoints: readonly Checkpoint[],
  store: Pick<EventStore, 'events'>,
): Promise<ReadonlyMap<Checkpoint, CheckpointState>> => {
  const tree = createMerkleTree()
  const states = new Map<Checkpoint, CheckpointState>()
  for (const checkpoint of checkpoints.toSorted((a, b) => a.size - b.size)) {
    await growTree(tree, store, checkpoint.size)
    const isSame = tree.size() === checkpoint.size && tree.root().equals(checkpoint.root)
    states.set(checkpoint, tree.size() < checkpoint.size ? 'shorter' : isSame ? 'holds' : 'other')
  }
  return states
}
