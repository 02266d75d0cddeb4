import type { GuardContext, Guardian, Opinion } from '../../core/guardian.ts'
import type { FailureKind } from '../../protocol/verdict.ts'
import type { Step, StepKind } from '../../protocol/step.ts'

/** How a remote guardian is asked: its protocol and address. */
export interface RemoteProtocol {
  /** Name and version of the protocol, such as `aos-0.1.0`. */
  readonly version: string
  /** Whether the protocol can express a step. */
  carries(step: Step): boolean
  /** Never rejects. */
  ask(step: Step, context: GuardContext): Promise<Opinion>
}

export interface RemoteGuardianOptions {
  readonly id: string
  readonly protocol: RemoteProtocol
  /** Kinds of step it is asked about; default: all that its protocol carries. */
  readonly kinds?: readonly StepKind[]
}

/** A missing opinion. */
export const failure = (why: FailureKind, cause: string): Opinion => ({ outcome: 'failed', why, cause })

/** A remote guardian. Its opinion has the same weight as that of a local one. */
export const createRemoteGuardian = ({ id, protocol, kinds }: RemoteGuardianOptions): Guardian =>
  Object.freeze<Guardian>({
    id,
    version: protocol.version,
    stage: 'decision',
    handles: (step) => (kinds === undefined || kinds.includes(step.kind)) && protocol.carries(step),
    evaluate: (step, context) => protocol.ask(step, context),
  })
