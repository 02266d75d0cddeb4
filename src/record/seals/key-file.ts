import { closeSync, existsSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { hash } from 'node:crypto'
import type { SealKey } from './seal-keys.ts'

/** Bytes of one of the two slots: a sector of a disk, which is written whole or not at all. */
const SLOT = 512
const SLOTS = [0, 1] as const

const LINE = /^(?<id>[0-9a-f]{16}) (?<index>\d{1,15}) (?<secret>[0-9a-f]{64}) (?<sum>[0-9a-f]{64})$/

const lineOf = ({ id, index, secret }: SealKey): string => {
  const line = `${id} ${index} ${Buffer.from(secret).toString('hex')}`
  return `${line} ${hash('sha256', line)}`
}

const readSlot = (file: number, slot: number): SealKey | undefined => {
  const buffer = Buffer.alloc(SLOT)
  const bytes = readSync(file, buffer, 0, SLOT, slot * SLOT)
  const line = buffer.toString('latin1', 0, bytes).replace(/[\0\n]*$/, '')
  const groups = LINE.exec(line)?.groups
  if (groups === undefined || hash('sha256', line.slice(0, line.lastIndexOf(' '))) !== groups['sum']) return undefined
  return {
    id: groups['id'] ?? '',
    index: Number(groups['index']),
    secret: Buffer.from(groups['secret'] ?? '', 'hex'),
  }
}

const writeSlot = (file: number, slot: number, text: string): void => {
  writeSync(file, Buffer.alloc(SLOT, 0).fill(text, 0, text.length, 'latin1'), 0, SLOT, slot * SLOT)
  fsyncSync(file)
}

const newest = (keys: readonly (SealKey | undefined)[]): SealKey | undefined =>
  keys.reduce(
    (best, one) => (one !== undefined && (best === undefined || one.index > best.index) ? one : best),
    undefined,
  )

/** Opens the file for one piece of work. */
const within = <T>(path: string, flags: 'r' | 'r+' | 'wx+', work: (file: number) => T): T => {
  const file = openSync(path, flags, 0o600)
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}

/** The key of the next seal; `undefined` if there is no file, or none of its slots can be read. */
export const readKeyFile = (path: string): SealKey | undefined =>
  existsSync(path) ? within(path, 'r', (file) => newest(SLOTS.map((slot) => readSlot(file, slot)))) : undefined

/**
 * Puts a key in the place of the one before, which is overwritten. A process killed in between leaves both or the new
 * one, never none; a key older than the one in the file is not written. What a disk or a file system keeps of overwritten
 * blocks by itself (snapshots, wear levelling) is out of reach.
 */
export const writeKeyFile = (path: string, key: SealKey): void => {
  if (!existsSync(path)) {
    within(path, 'wx+', (file) => {
      writeSlot(file, 0, lineOf(key))
    })
    return
  }
  within(path, 'r+', (file) => {
    const keys = SLOTS.map((slot) => readSlot(file, slot))
    const current = newest(keys)
    if (current !== undefined && current.id === key.id && current.index >= key.index) return
    const old = current === undefined ? 1 : keys.indexOf(current)
    writeSlot(file, 1 - old, lineOf(key))
    writeSlot(file, old, '')
  })
}

/** Begins a new sequence: the keys before are overwritten. */
export const beginKeyFile = (path: string, first: SealKey): void => {
  if (existsSync(path))
    within(path, 'r+', (file) => {
      for (const slot of SLOTS) writeSlot(file, slot, '')
    })
  writeKeyFile(path, first)
}
