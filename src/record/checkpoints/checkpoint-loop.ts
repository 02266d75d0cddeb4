import type { Clock } from '../../core/clock.ts'
import { startLoop } from '../../core/repeat.ts'
import type { Loop } from '../../core/repeat.ts'
import type { EventStore } from '../stores/store.ts'
import { growTree, writeCheckpoint } from './checkpoint.ts'
import type { Destination } from './destinations.ts'
import { createMerkleTree } from './merkle-tree.ts'
import { signNote, type NoteSigner } from './signed-note.ts'

/** Deadline of a destination in milliseconds. */
const DEADLINE_MS = 10_000

export interface CheckpointOptions {
  readonly store: Pick<EventStore, 'events'>
  /** Seals the trace first, so that a checkpoint covers all sessions. */
  readonly seal: () => Promise<void>
  readonly signer: NoteSigner
  readonly destinations: readonly Destination[]
  readonly clock: Pick<Clock, 'after'>
  readonly everyMs: number
  /** Reports a destination that did not accept a checkpoint; the next one covers it. */
  readonly failed: (destination: string, why: string) => void
}

/** The checkpoint of a store as it is now, as a signed note. */
export const signedCheckpoint = async (
  store: Pick<EventStore, 'events'>,
  signer: NoteSigner,
  tree = createMerkleTree(),
): Promise<string> => {
  await growTree(tree, store)
  return signNote(writeCheckpoint({ origin: signer.name, size: tree.size(), root: tree.root() }), signer)
}

/** Starts to publish new events since the last checkpoint. In parallel to decisions, never before them. */
export const startCheckpoints = (options: CheckpointOptions): Loop => {
  const { store, seal, signer, destinations, clock, everyMs, failed } = options
  const tree = createMerkleTree()
  let published = 0
  const deliver = async (destination: Destination, note: string): Promise<boolean> => {
    try {
      await destination.publish(note, AbortSignal.timeout(DEADLINE_MS))
      return true
    } catch (error) {
      failed(destination.name, error instanceof Error ? error.message : String(error))
      return false
    }
  }
  const publish = async (): Promise<void> => {
    try {
      await seal()
      await growTree(tree, store)
      const size = tree.size()
      if (size === published) return
      const note = await signedCheckpoint(store, signer, tree)
      const delivered = await Promise.all(destinations.map((one) => deliver(one, note)))
      if (delivered.every(Boolean)) published = tree.size()
    } catch (error) {
      failed('the trace', error instanceof Error ? error.message : String(error))
    }
  }
  return startLoop(clock, everyMs, publish)
}
