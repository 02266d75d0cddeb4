import { createMachineClock } from '../config/machine-clock.ts'
import type { ComposedGuard, PersonsWord } from '../config/compose-guard.ts'
import { dataFiles } from '../config/data-folder.ts'
import { openApprovals } from '../config/open-approvals.ts'
import type { Config } from '../config/schema.ts'
import { disabledAt } from '../record/approvals/disabling.ts'
import type { Recorder } from '../record/trace/recorder.ts'
import { tokenCheck } from '../server/app.ts'
import type { ServedApprovals } from '../server/approvals-route.ts'
import { keptSecret } from './kept-secret.ts'

/** What a running guard keeps its approvals with. */
export interface GuardApprovalParts {
  readonly data: string
  readonly recorder: Recorder
  readonly mask: ComposedGuard['mask']
  readonly config: () => Config
  readonly fault: (error: unknown) => void
}

/** Approvals of a running guard: for its decisions, for its server, and its own housekeeping. */
export interface GuardApprovals {
  readonly word: PersonsWord
  readonly served: ServedApprovals
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
export const openGuardApprovals = ({ data, recorder, mask, config, fault }: GuardApprovalParts): GuardApprovals => {
  const files = dataFiles(data)
  const clock = createMachineClock()
  const { store, desk, answering } = openApprovals({
    path: files.approvals,
    record: (event) => recorder.recordEvent(event),
    mask,
    clock,
    limits: () => config().approvals,
    fault,
  })
  let sweeping: NodeJS.Timeout | undefined
  return Object.freeze<GuardApprovals>({
    word: {
      approvals: desk,
      isDisabled: (rule) => disabledAt(store.disabledRules(), clock.now()).some((one) => one.rule === rule),
      fault,
    },
    served: { store, answering, authorized: tokenCheck(keptSecret(files.approverToken, undefined)) },
    async begin() {
      await desk.tidy()
      const { retentionDays } = config().trace
      if (retentionDays > 0) store.removeBefore(clock.now() - retentionDays * DAY)
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
