import type { Clock } from '../../core/clock.ts'
import { toCommand, toFile, toUrl, type Destination } from '../../record/checkpoints/destinations.ts'
import { startCheckpoints } from '../../record/checkpoints/checkpoint-loop.ts'
import { openSigningKey } from '../../record/checkpoints/signing-key.ts'
import { startSealing } from '../../record/seals/sealing-loop.ts'
import type { EventStore } from '../../record/stores/store.ts'
import type { dataFiles } from '../../config/data-folder.ts'
import type { Config } from '../../config/schema.ts'

/** Protects the trace against its owner's own user, as far as a guard can do that. */
export interface TraceProofs {
  /** Seals and publishes a last time. */
  stop(): Promise<void>
}

export interface TraceProofOptions {
  readonly store: EventStore
  readonly files: ReturnType<typeof dataFiles>
  readonly config: Config['trace']
  readonly clock: Clock
  readonly fault: (error: unknown) => void
  readonly checkpointFailed: (destination: string, why: string) => void
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

const destinationsOf = ({ file, command, url }: Config['trace']['checkpoints']): readonly Destination[] => [
  ...(file === undefined ? [] : [toFile(file)]),
  ...(command.length === 0 ? [] : [toCommand(command)]),
  ...(url === undefined ? [] : [toUrl(url)]),
]

/** Starts to seal the trace and to publish its checkpoints, as configured. */
export const startTraceProofs = (options: TraceProofOptions): TraceProofs => {
  const { store, files, config, clock, fault, checkpointFailed: failed } = options
  const { sealSeconds, checkpoints } = config
  const sealing =
    sealSeconds === 0
      ? undefined
      : startSealing({ store, keyFile: files.sealKey, clock, everyMs: sealSeconds * SECOND_MS, fault })
  const destinations = destinationsOf(checkpoints)
  const publishing =
    destinations.length === 0
      ? undefined
      : startCheckpoints({
          store,
          seal: async () => sealing?.now(),
          signer: openSigningKey(files.checkpointKey, checkpoints.origin),
          destinations,
          clock,
          everyMs: checkpoints.everyMinutes * MINUTE_MS,
          failed,
        })
  return Object.freeze({
    stop: async () => {
      await sealing?.stop()
      await publishing?.stop()
    },
  })
}
