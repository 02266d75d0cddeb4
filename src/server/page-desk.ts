import { createHash, randomBytes } from 'node:crypto'
import type { Statement } from '../record/signatures/statement.ts'

/** A passkey as a page needs it. */
export interface OfferedPasskey {
  /** Id of the key. */
  readonly id: string
  readonly credential: string
}

/** What a page is opened for. */
export type PageWant =
  | { readonly kind: 'list' }
  /** Makes a passkey. */
  | { readonly kind: 'create'; readonly name: string; readonly challenge: string }
  /** Signs a statement of a terminal. */
  | {
      readonly kind: 'sign'
      readonly statement: Statement
      readonly challenge: string
      readonly passkeys: readonly OfferedPasskey[]
    }

/** Pages that terminals have opened: codes that open each once, cookies, and what comes back. */
export interface PageDesk {
  /** A code that opens a page for this, once, and that its result is fetched by. */
  open(want: PageWant): string
  /** Takes a code for a cookie; `undefined` when it was used, is over or is none. */
  enter(code: string): { readonly cookie: string; readonly want: PageWant } | undefined
  /** Whether a cookie is one of an open page. */
  isOpen(cookie: string): boolean
  /** Keeps what a page gives; `false` when nothing was wanted, or it was given before. */
  give(cookie: string, result: unknown): boolean
  /** What has come back for a code. */
  result(code: string): { readonly state: 'waiting' | 'unknown' } | { readonly state: 'done'; readonly result: unknown }
}

interface Slot {
  readonly want: PageWant
  readonly until: number
  entered: boolean
  result?: unknown
}

/** Milliseconds in which a code has to be used, and a terminal waits. */
const CODE_MS = 10 * 60_000
/** Milliseconds that a page stays open. */
const PAGE_MS = 8 * 3_600_000
/** Codes and pages that are open at once. */
const MOST = 100

const secret = (): string => randomBytes(24).toString('base64url')
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Keeps only hashes of what it gives away. */
export const createPageDesk = (now: () => number): PageDesk => {
  const slots = new Map<string, Slot>()
  const pages = new Map<string, { readonly slot: Slot; readonly until: number }>()

  const tidy = <T extends { readonly until: number }>(map: Map<string, T>): void => {
    for (const [name, { until }] of map) if (until <= now() || map.size >= MOST) map.delete(name)
  }
  const live = <T extends { readonly until: number }>(map: Map<string, T>, text: string): T | undefined => {
    const one = map.get(hashOf(text))
    return one === undefined || one.until <= now() ? undefined : one
  }

  return Object.freeze<PageDesk>({
    open(want) {
      tidy(slots)
      const code = secret()
      slots.set(hashOf(code), { want, until: now() + CODE_MS, entered: false })
      return code
    },
    enter(code) {
      const slot = live(slots, code)
      if (slot === undefined || slot.entered) return undefined
      slot.entered = true
      tidy(pages)
      const cookie = secret()
      pages.set(hashOf(cookie), { slot, until: now() + PAGE_MS })
      return { cookie, want: slot.want }
    },
    isOpen: (cookie) => live(pages, cookie) !== undefined,
    give(cookie, result) {
      const slot = live(pages, cookie)?.slot
      if (slot === undefined || slot.want.kind === 'list' || slot.result !== undefined || slot.until <= now())
        return false
      slot.result = result
      return true
    },
    result(code) {
      const slot = live(slots, code)
      if (slot === undefined) return { state: 'unknown' }
      return slot.result === undefined ? { state: 'waiting' } : { state: 'done', result: slot.result }
    },
  })
}
