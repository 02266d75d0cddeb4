import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { SallyportError } from '../../errors/errors.ts'
import {
  compareCheckpoints,
  readCheckpoint,
  splitNotes,
  type CheckpointState,
} from '../../record/checkpoints/checkpoint.ts'
import { openNote, readVerifier } from '../../record/checkpoints/signed-note.ts'
import { beginKeyFile, readKeyFile } from '../../record/seals/key-file.ts'
import { firstKey, readKey, writeKey } from '../../record/seals/seal-keys.ts'
import type { AuditableStore } from '../../record/stores/store.ts'
import type { SealKeys } from '../../record/trace/seal-check.ts'
import type { Io } from '../io/io.ts'
import { refuseAgents } from '../signing/approval-records.ts'
import type { Paint } from '../views/trace-view.ts'

const misuse = (detail: string): SallyportError => new SallyportError('SP_USAGE', { detail, command: 'trace' })

const textFrom = async (option: string, path: string, io: Io): Promise<string> => {
  if (path === '-') return io.stdin()
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new SallyportError(
      'SP_USAGE',
      { detail: `The file for --${option} cannot be read: ${path}.`, command: 'trace' },
      { cause: error },
    )
  }
}

/** The keys to check seals with: the person's from a file or standard input, and the one beside the trace. */
export const sealKeysFrom = async (
  path: string | undefined,
  keyFile: string,
  io: Io,
): Promise<SealKeys | undefined> => {
  if (path === undefined) return undefined
  const first = readKey(await textFrom('seal-key', path, io))
  if (first === undefined) throw misuse('--seal-key takes a file with the line that `trace seal --new` printed.')
  return { first, current: readKeyFile(keyFile) }
}

/** The key beside the trace for the next seal, if it can be read: its index is the number of seals. */
export const nextSealKeyOf = (keyFile: string): SealKeys['current'] => {
  try {
    return readKeyFile(keyFile)
  } catch {
    return undefined
  }
}

/**
 * Starts a sequence of sealing keys and returns the verification key, which is not stored. @throws SP_APPROVAL_AGENT
 */
export const beginSealing = (keyFile: string, io: Io): string => {
  refuseAgents(io.env)
  const first = firstKey(randomBytes(32))
  beginKeyFile(keyFile, first)
  return writeKey(first)
}

/** What a person has to know about a new verification key. */
export const newKeyLines = (verificationKey: string): readonly string[] => [
  verificationKey,
  'This is the verification key of the seals. It is printed once and stored nowhere: keep it away from this machine.',
  'To verify the seals: sallyport trace verify --seal-key FILE',
  '',
]

/** A checkpoint that was stored elsewhere, and whether it still matches the trace. */
export interface CheckedCheckpoint {
  readonly origin: string
  readonly size: number
  readonly state: CheckpointState
}

/** Checks the checkpoints of a file against a store; `undefined` without a file. @throws SallyportError SP_USAGE */
export const checkpointsFrom = async (
  path: string | undefined,
  key: string | undefined,
  { store, io }: { readonly store: Pick<AuditableStore, 'events'>; readonly io: Io },
): Promise<readonly CheckedCheckpoint[] | undefined> => {
  if (path === undefined) return undefined
  const verifier = readVerifier(key ?? '')
  if (verifier === undefined)
    throw misuse('--checkpoint needs --checkpoint-key, as printed by `trace checkpoint --key`.')
  const notes = splitNotes(await textFrom('checkpoint', path, io))
  if (notes.length === 0) throw misuse(`There is no checkpoint in ${path}.`)
  const read = notes.map((note, at) => {
    const checkpoint = readCheckpoint(openNote(note, verifier) ?? '')
    if (checkpoint === undefined) throw misuse(`Checkpoint ${at + 1} of ${path} was not signed with this key.`)
    return checkpoint
  })
  const states = await compareCheckpoints(read, store)
  return read.map((one) => ({ origin: one.origin, size: one.size, state: states.get(one) ?? 'other' }))
}

const STATES: Readonly<Record<CheckpointState, string>> = {
  holds: 'holds',
  shorter: 'the chain is now shorter: its end was cut',
  other: 'the chain contains other events: it was rewritten',
}

/** The checkpoints that do not match, and the number of those that do. */
export const checkpointLines = (checked: readonly CheckedCheckpoint[], paint: Paint): readonly string[] => {
  const holding = checked.filter(({ state }) => state === 'holds').length
  const broken = checked.filter(({ state }) => state !== 'holds')
  return [
    ...(holding === 0 ? [] : [`${holding} of ${checked.length} checkpoints match.`]),
    ...broken.map(({ size, state }) => `${paint('red', `Checkpoint at event ${size}`)}: ${STATES[state]}.`),
  ]
}
