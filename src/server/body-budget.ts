/** Limits the bytes of request bodies in memory, for all callers together. */
export interface BodyBudget {
  /** Resolves when there is space for so many bytes, in the order of the calls, with the function that releases it. */
  enter(bytes: number): Promise<() => void>
}

/** Bodies up to this size never wait. */
export const SMALL = 65_536

const NOTHING = (): void => undefined

/** Makes a budget of so many bytes. A larger body waits until it is alone. */
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
