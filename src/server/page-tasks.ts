import { createHash, randomBytes } from 'node:crypto'
import { createBoundedMap } from '../bounded/bounded-map.ts'
import type { Statement } from '../record/signatures/statement.ts'

/** A passkey as a page needs it. */
export interface OfferedPasskey {
  /** Id of the key. */
  readonly id: string
  readonly credential: string
}

/** The purpose of a page. */
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

/** Pages opened from terminals: one-time codes, cookies and results. */
export interface PageTasks {
  /** A one-time code that opens a page for this purpose; its result is fetched with the same code. */
  open(want: PageWant): string
  /** Exchanges a code for a cookie; `undefined` when it was used, has expired or is unknown. */
  enter(code: string): { readonly cookie: string; readonly want: PageWant } | undefined
  /** Whether a cookie belongs to an open page. */
  isOpen(cookie: string): boolean
  /** Stores the result of a page; `false` if none was expected, or one is already stored. */
  give(cookie: string, result: unknown): boolean
  /** The result for a code so far. */
  result(code: string): { readonly state: 'waiting' | 'unknown' } | { readonly state: 'done'; readonly result: unknown }
}

interface Slot {
  readonly want: PageWant
  readonly until: number
  entered: boolean
  result?: unknown
}

/** Milliseconds in which a code has to be used; a terminal waits as long. */
const CODE_MS = 10 * 60_000
/** Milliseconds that a page stays open. */
const PAGE_MS = 8 * 3_600_000
/** Most codes and pages open at once. */
const MOST = 100

const secret = (): string => randomBytes(24).toString('base64url')
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Stores only hashes of codes and cookies. */
export const createPageTasks = (now: () => number): PageTasks => {
  const slots = createBoundedMap<string, Slot>({ most: MOST, age: { ms: CODE_MS, now } })
  const pages = createBoundedMap<string, Slot>({ most: MOST, age: { ms: PAGE_MS, now } })

  return Object.freeze<PageTasks>({
    open(want) {
      const code = secret()
      slots.set(hashOf(code), { want, until: now() + CODE_MS, entered: false })
      return code
    },
    enter(code) {
      const slot = slots.get(hashOf(code))
      if (slot === undefined || slot.entered) return undefined
      slot.entered = true
      const cookie = secret()
      pages.set(hashOf(cookie), slot)
      return { cookie, want: slot.want }
    },
    isOpen: (cookie) => pages.has(hashOf(cookie)),
    give(cookie, result) {
      const slot = pages.get(hashOf(cookie))
      if (slot === undefined || slot.want.kind === 'list' || slot.result !== undefined || slot.until <= now())
        return false
      slot.result = result
      return true
    },
    result(code) {
      const slot = slots.get(hashOf(code))
      if (slot === undefined) return { state: 'unknown' }
      return slot.result === undefined ? { state: 'waiting' } : { state: 'done', result: slot.result }
    },
  })
}
