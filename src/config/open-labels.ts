import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createSessionLabels } from '../evidence/labels/session-labels.ts'
import type { SessionLabelOptions, SessionLabels } from '../evidence/labels/session-labels.ts'
import { openSqliteLabelStore } from '../record/labels/sqlite-label-store.ts'
import type { dataFiles } from './data-folder.ts'

/** Where a guard's memory of sessions is kept, and how safely. */
export interface LabelPlace {
  readonly files: Pick<ReturnType<typeof dataFiles>, 'labels' | 'labelsKey'>
  readonly durability: 'process' | 'power'
  /** Told of a session whose past cannot be known, and why; without a session, of what all of them share. */
  readonly lost: NonNullable<SessionLabelOptions['lost']>
}

/** A memory of sessions that outlives the guard. */
export interface OpenLabels {
  readonly labels: SessionLabels
  close(): Promise<void>
}

const KEY_BYTES = 32

/** The key that hashes and rows are worth nothing without: made at the first need, readable by its owner only. */
const labelsKey = (path: string): Uint8Array => {
  const kept = existsSync(path) ? Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url') : Buffer.alloc(0)
  if (kept.length === KEY_BYTES) return kept
  const key = randomBytes(KEY_BYTES)
  writeFileSync(path, `${key.toString('base64url')}\n`, { mode: 0o600 })
  return key
}

/** Opens the memory of sessions in a data folder. @throws SallyportError SP_LABELS_UNAVAILABLE */
export const openLabels = ({ files, durability, lost }: LabelPlace): OpenLabels => {
  const key = labelsKey(files.labelsKey)
  const store = openSqliteLabelStore({ path: files.labels, key, durability })
  const labels = createSessionLabels({ key, store, lost })
  return {
    labels,
    close: async () => {
      try {
        await labels.settled()
      } finally {
        await store.close()
      }
    },
  }
}
