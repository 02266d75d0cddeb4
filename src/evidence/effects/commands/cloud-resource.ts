import type { Target } from '../../../protocol/evidence.ts'
import { visible } from '../values/field.ts'
import type { Call } from '../engine/call.ts'

/** The words of a command line that are no options. */
export const line = (call: Call): string => call.options.operands.map(visible).join(' ')

/** The thing a command of a cloud tool is about, by its first words. */
export const resource = (call: Call, from: number): readonly Target[] => [
  { type: 'resource', name: [call.name, ...call.options.operands.slice(0, from + 2).map(visible)].join(' ') },
]

/** Whether a command only says what it would do. */
export const isDry = (call: Call): boolean =>
  call.options.has('--dry-run', '--dryrun', '--help', '-h', '--what-if', '--check')
