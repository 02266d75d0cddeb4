/** Limits the bytes of request bodies in memory, for all callers together. */
export interface BodyBudget {
  /** Resolves when there is room for so many bytes, in the order of the calls; gives what lets go of it. */
  enter(bytes: number): Promise<() => void>
}

/** Bytes of a body that takes no room of which anybody would have to wait. */
export const SMALL = 65_536

const NOTHING = (): void => undefined

/** Makes room for so many bytes. One that is larger than all of it has it alone. */
export const createBodyBudget = (bytes: number): BodyBudget => {
  let taken = 0
  const waiting: { readonly size: number; readonly go: () => void }[] = []
  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined && taken + next.size <= bytes; next = waiting[0]) {
      waiting.shift()
      taken += next.size
      next.go()
    }
  }
  return Object.freeze<BodyBudget>({
    enter: (asked) =>
      asked <= SMALL
        ? Promise.resolve(NOTHING)
        : new Promise((resolve) => {
            const size = Math.min(asked, bytes)
            let isOut = false
            const leave = (): void => {
              if (isOut) return
              isOut = true
              taken -= size
              admit()
            }
            waiting.push({ size, go: () => resolve(leave) })
            admit()
          }),
  })
}
