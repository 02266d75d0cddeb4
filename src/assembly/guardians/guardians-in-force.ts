import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../core/clock.ts'
import type { Config } from '../../config/schema.ts'
import type { OpenedGuardians } from './open-guardians.ts'

/** Guardians elsewhere as they are configured now. */
export interface GuardiansInForce {
  /** Those in their seats; the same as long as they are configured the same. @throws SallyportError SP_CONFIG_VALUE */
  of(guardians: Config['guardians']): OpenedGuardians
  /** Those that `of` gave last are in use, and none before them: these are let go once they have had their time. */
  inUse(): void
  /** Resolves once all have said what is yet to come, or the time is up; then lets go of them. */
  close(withinMs: number): Promise<void>
}

/** Milliseconds that those who were replaced have for what is under way with them, at least. */
const RETIRE_MS = 60_000

/** Keeps guardians elsewhere over changes of the configuration: what is known of them, such as that one is dead, outlives those that are not about them. */
export const createGuardiansInForce = (
  seat: (guardians: Config['guardians']) => OpenedGuardians,
  clock: Clock,
): GuardiansInForce => {
  let current: { readonly guardians: Config['guardians']; readonly seats: OpenedGuardians } | undefined
  /** OpenedGuardian before, and perhaps still in use. */
  const replaced = new Set<OpenedGuardians>()
  const retired = new Map<OpenedGuardians, () => void>()

  const retire = (seats: OpenedGuardians): void => {
    const longest = [...seats.before, ...seats.after].map(({ deadlineMs }) => deadlineMs)
    const callOff = clock.after(Math.max(RETIRE_MS, ...longest), () => {
      retired.delete(seats)
      seats.close()
    })
    retired.set(seats, callOff)
  }

  return Object.freeze<GuardiansInForce>({
    of(guardians) {
      if (current !== undefined && isDeepStrictEqual(current.guardians, guardians)) return current.seats
      const seats = seat(guardians)
      if (current !== undefined) replaced.add(current.seats)
      current = { guardians, seats }
      seats.begin()
      return seats
    },
    inUse() {
      for (const one of replaced) retire(one)
      replaced.clear()
    },
    async close(withinMs) {
      for (const callOff of retired.values()) callOff()
      const all = [...retired.keys(), ...replaced, ...(current === undefined ? [] : [current.seats])]
      retired.clear()
      replaced.clear()
      await Promise.all(all.map((one) => one.settled(withinMs)))
      for (const one of all) one.close()
    },
  })
}
