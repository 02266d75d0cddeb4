/** Lets messages of one direction out in the order in which they came in, except where one takes long. */
export interface ReleaseOrder {
  /**
   * Resolves once the message is out.
   * @param ready never rejects
   * @param lane messages of the same lane never overtake each other
   * @param barrier no later message overtakes this one
   */
  put(
    ready: Promise<() => void>,
    place?: { readonly lane?: string | undefined; readonly barrier?: boolean },
  ): Promise<void>
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
      const opened = gate
      const before = Promise.all([opened, lane === undefined ? undefined : lanes.get(lane)])
      let isOut = false
      const released = (async () => {
        const release = await ready
        await before
        release()
        isOut = true
      })()
      open.add(released)
      if (lane !== undefined) lanes.set(lane, released)
      // Its time begins when it is the first: in a flood all are late, and none is slow.
      gate = (async () => {
        await opened
        if (barrier || isOut) return released
        const late = Promise.withResolvers<void>()
        const leave = after(PATIENCE_MS, late.resolve)
        await Promise.race([released, late.promise])
        return leave()
      })()
      void released.finally(() => {
        open.delete(released)
        if (lane !== undefined && lanes.get(lane) === released) lanes.delete(lane)
      })
      return released
    },
    async idle() {
      while (open.size > 0) await Promise.allSettled(open)
    },
  })
}
