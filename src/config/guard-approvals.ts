import type { Clock } from '../core/clock.ts'
import { disabledAt } from '../record/approvals/disabling.ts'
import type { RecordApproval } from '../record/approvals/outbox.ts'
import type { ComposedGuard, PersonsWord } from './compose-guard.ts'
import { openApprovals } from './open-approvals.ts'
import type { OpenApprovals } from './open-approvals.ts'
import type { Config } from './schema.ts'

/** What a guard keeps its approvals with. */
export interface GuardApprovalParts {
  /** The file they lie in. */
  readonly path: string
  readonly record: RecordApproval
  readonly mask: ComposedGuard['mask']
  readonly clock: Clock
  readonly config: () => Config
  readonly fault: (error: unknown) => void
}

/** Approvals of a guard: for its decisions, for those who answer, and its own housekeeping. */
export interface GuardApprovals extends Pick<OpenApprovals, 'store' | 'answering'> {
  readonly word: PersonsWord
  /** Ends what is over, now and every minute, and tells the trace what a killed guard has left untold. */
  begin(): Promise<void>
  /** Lets go of whoever waits for an answer. */
  release(): void
  close(): void
}

/** Milliseconds between two looks for what is over; decisions do not wait for them. */
const SWEEP_EVERY = 60_000
const DAY = 86_400_000

/** Opens the approvals of a guard. @throws SallyportError SP_STORE_* */
export const openGuardApprovals = ({ config, ...parts }: GuardApprovalParts): GuardApprovals => {
  const { fault } = parts
  const { store, now, desk, answering } = openApprovals({ ...parts, limits: () => config().approvals })
  let sweeping: NodeJS.Timeout | undefined
  return Object.freeze<GuardApprovals>({
    word: {
      approvals: desk,
      isDisabled: (rule) => disabledAt(store.disabledRules(), now()).some((one) => one.rule === rule),
      fault,
    },
    store,
    answering,
    async begin() {
      await desk.tidy()
      const { retentionDays } = config().trace
      if (retentionDays > 0) store.removeBefore(now() - retentionDays * DAY)
      sweeping = setInterval(() => {
        desk.tidy().catch(fault)
      }, SWEEP_EVERY)
      sweeping.unref()
    },
    release: () => {
      desk.release()
    },
    close: () => {
      clearInterval(sweeping)
      store.close()
    },
  })
}
