import type { OpenGuardOptions } from '../../assembly/open-guard.ts'
import type { GuardHere } from './local-guard.ts'

/** Where and for whom a guard is opened in the gateway. */
export interface HereOptions {
  /** Folder of its records, absolute. */
  readonly data: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The plugin's folder and the host's settings, which no agent may change. */
  readonly own: readonly string[]
  /** Port of the gateway, which no agent may tell what to do. */
  readonly port: number
  /** Scanners elsewhere that the plugin's own settings name. */
  readonly guardians?: OpenGuardOptions['guardians']
  readonly log: (message: string) => void
}

/** Opens a guard in this process. Its code is loaded here and not before: the host evaluates the plugin many times. */
export const openHere = async ({ data, env, home, own, port, guardians, log }: HereOptions): Promise<GuardHere> => {
  const { openGuard } = await import('../../assembly/open-guard.ts')
  const guard = await openGuard({
    data,
    env,
    home,
    own,
    port,
    ...(guardians === undefined ? {} : { guardians }),
    warn: (warning) => {
      log(JSON.stringify(warning))
    },
    fault: (error) => {
      log(`fault: ${error instanceof Error ? error.message : 'unknown'}`)
    },
  })
  // Texts without a session: what one of them names is nothing to the next.
  let aside = guard.apart()
  let of = guard.config()
  return {
    judge: guard.judge,
    judgeNow: guard.judgeNow,
    instant: guard.instant,
    recordRejection: guard.recordRejection,
    recordGaps: (gaps) => guard.recordNotice('HostGaps', { host: 'openclaw', gaps: [...gaps] }),
    close: guard.close,
    weigh(step, power) {
      if (guard.config() !== of) {
        of = guard.config()
        aside = guard.apart()
      }
      return aside.guard.decideNow(step, power)
    },
  }
}
