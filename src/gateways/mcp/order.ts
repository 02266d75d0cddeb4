/** Lets messages of one direction out in the order in which they came in, except where one takes long. */
export interface ReleaseOrder {
  /**
   * @param ready never rejects
   * @param lane messages of the same lane never overtake each other
   * @param barrier no later message overtakes this one
   */
  put(ready: Promise<() => void>, place?: { readonly lane?: string | undefined; readonly barrier?: boolean }): void
  /** Resolves once everything so far is out. */
  idle(): Promise<void>
}

/** Milliseconds for which later messages wait for an earlier one. */
const PATIENCE_MS = 100

/** Creates an empty order. @param after calls back after milliseconds, and returns what takes that back */
export const createReleaseOrder = (after: (ms: number, run: () => void) => () => void): ReleaseOrder => {
  const lanes = new Map<string, Promise<void>>()
  const open = new Set<Promise<void>>()
  let gate: Promise<void> = Promise.resolve()
  return Object.freeze<ReleaseOrder>({
    put(ready, { lane, barrier = false } = {}) {
      const before = Promise.all([gate, lane === undefined ? undefined : lanes.get(lane)])
      const released = (async () => {
        const release = await ready
        await before
        release()
      })()
      open.add(released)
      if (lane !== undefined) lanes.set(lane, released)
      const late = Promise.withResolvers<void>()
      const leave = barrier ? () => undefined : after(PATIENCE_MS, late.resolve)
      gate = Promise.race([released, late.promise])
      void released.finally(() => {
        leave()
        open.delete(released)
        if (lane !== undefined && lanes.get(lane) === released) lanes.delete(lane)
      })
    },
    async idle() {
      while (open.size > 0) await Promise.allSettled(open)
    },
  })
}
