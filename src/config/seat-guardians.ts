import type { GuardianSeat } from '../core/guardian.ts'
import { seatAiceberg } from './aiceberg-seat.ts'
import type { GuardianConfig } from './guardian-schema.ts'
import { wrong } from './guardian-world.ts'
import type { KeepingWorld, Seated } from './guardian-world.ts'
import { seatPrismaAirs } from './prisma-airs-seat.ts'
import { seatRemote } from './remote-guardians.ts'
import type { Config } from './schema.ts'

/** Guardians elsewhere in their seats: those before the rules here, and those after them. */
export interface RemoteSeats {
  readonly before: readonly GuardianSeat[]
  readonly after: readonly GuardianSeat[]
}

/** Seats that belong together. */
export interface SeatedGuardians extends RemoteSeats {
  /** Has all take up what a guard before this one has left. */
  begin(): void
  /** Resolves once all have said what is yet to come, or the time is up. */
  settled(withinMs: number): Promise<void>
  /** Lets go of all that they hold; what is still under way fails. */
  close(): void
}

/** Seats one guardian, by its `scanner`. Add yours here. */
const seatOf = (config: GuardianConfig, world: KeepingWorld): Seated => {
  switch (config.scanner) {
    case undefined:
    case 'none':
      return seatRemote(config, world)
    case 'prisma-airs':
      return seatPrismaAirs(config, world)
    case 'aiceberg':
      return seatAiceberg(config, world)
    default:
      return config satisfies never
  }
}

/** Seats all, or none: of those that were seated before one that cannot be, nothing stays open. */
const seatAll = (guardians: Config['guardians'], world: KeepingWorld): readonly (Seated | undefined)[] => {
  const seated: (Seated | undefined)[] = []
  try {
    for (const one of guardians) seated.push(one === 'policy' ? undefined : seatOf(one, world))
    return seated
  } catch (error) {
    for (const one of seated) one?.close()
    throw error
  }
}

/** Seats the guardians that are configured. Asks none yet. @throws SallyportError SP_CONFIG_VALUE */
export const seatGuardians = (guardians: Config['guardians'], world: KeepingWorld): SeatedGuardians => {
  const ids = guardians.map((one) => (one === 'policy' ? one : one.id))
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index || id === 'evidence')
  if (repeated !== undefined) throw wrong(repeated, 'id', 'a unique name')
  const turn = guardians.indexOf('policy')
  const seated = seatAll(guardians, world)
  const seats = (from: number, to: number): readonly GuardianSeat[] =>
    seated.slice(from, to).flatMap((one) => (one === undefined ? [] : [one.seat]))
  const sides =
    turn === -1
      ? { before: [], after: seats(0, guardians.length) }
      : { before: seats(0, turn), after: seats(turn + 1, guardians.length) }
  return Object.freeze<SeatedGuardians>({
    ...sides,
    begin() {
      for (const one of seated) one?.begin?.()
    },
    async settled(withinMs) {
      let callOff = (): void => {}
      const late = new Promise<void>((resolve) => {
        callOff = world.clock.after(withinMs, resolve)
      })
      await Promise.race([Promise.all(seated.map(async (one) => one?.settled?.())), late])
      callOff()
    },
    close() {
      for (const one of seated) one?.close()
    },
  })
}
