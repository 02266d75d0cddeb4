import type { Target } from '../../../protocol/evidence.ts'
import { visible } from '../values/field.ts'
import type { Call } from '../engine/call.ts'
import { lossOf } from './loss.ts'

/** The words of a command line without options. */
export const line = (call: Call): string => call.options.operands.map(visible).join(' ')

/** The resource of a cloud command, by its first words. */
export const resource = (call: Call, from: number): readonly Target[] => [
  { type: 'resource', name: [call.name, ...call.options.operands.slice(0, from + 2).map(visible)].join(' ') },
]

/** Whether a command is a dry run. */
export const isDry = (call: Call): boolean =>
  call.options.has('--dry-run', '--dryrun', '--help', '-help', '-h', '--what-if', '--check')

/** The act of a cloud command: it removes one thing, or a thing that contains others, or changes something. */
export type CloudAct = 'destroy' | 'destroy-all' | 'change'

/** Emits the effects of an act on the resource that the first words name. */
export const emitCloudAct = (call: Call, act: CloudAct | undefined, from: number): void => {
  if (act === 'change') call.emit('cloud.change', resource(call, from))
  else if (act !== undefined)
    call.emit('cloud.destroy', resource(call, from), { traits: lossOf(call, act === 'destroy-all') })
}
