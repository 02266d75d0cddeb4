import { lstatSync, readFileSync } from 'node:fs'
import { isObject } from '../protocol/json.ts'
import type { SystemLayout } from './layout.ts'
import type { GuardedUser } from './service.ts'

/** The record of an installation for the whole machine. */
export interface Receipt {
  readonly version: string
  readonly port: number
  /** Program that runs the guard. */
  readonly node: string
  /** Whose agents are guarded; absent for files that came by a package alone. */
  readonly guarded?: GuardedUser
  /** The host's settings for the whole machine, with the hooks. */
  readonly settings?: string
}

const guardedOf = (value: unknown): GuardedUser | undefined => {
  if (!isObject(value)) return undefined
  const { name, uid, home, shell } = value
  return typeof name === 'string' && typeof uid === 'number' && typeof home === 'string' && typeof shell === 'string'
    ? { name, uid, home, shell }
    : undefined
}

/** Reads the note; one that is not root's counts for nothing. `undefined` where no guard is installed for the machine. */
export const readReceipt = ({ receipt }: SystemLayout): Receipt | undefined => {
  try {
    if (lstatSync(receipt).uid !== 0) return undefined
    const value: unknown = JSON.parse(readFileSync(receipt, 'utf8'))
    if (!isObject(value)) return undefined
    const { version, port, node, settings } = value
    if (typeof version !== 'string' || typeof port !== 'number' || typeof node !== 'string') return undefined
    const guarded = guardedOf(value['guarded'])
    return {
      version,
      port,
      node,
      ...(guarded === undefined ? {} : { guarded }),
      ...(typeof settings === 'string' ? { settings } : {}),
    }
  } catch {
    return undefined
  }
}
