import { isObject } from '../../protocol/json.ts'
import type { Json } from '../../protocol/json.ts'
import type { StepOf } from '../../protocol/step.ts'

/** Tools that start background processes, and tools that show their later output, by host. */
const PROCESSES: ReadonlyMap<string, { readonly start: readonly string[]; readonly show: readonly string[] }> = new Map(
  [['openclaw', { start: ['exec', 'bash'], show: ['process'] }]],
)

const idIn = (value: Json | undefined): string | undefined => {
  const id = isObject(value) ? value['sessionId'] : undefined
  return typeof id === 'string' && id.length <= 128 ? id : undefined
}

const markOf = (session: string, id: string | undefined): string | undefined =>
  id === undefined ? undefined : `process ${session} ${id}`

/** The mark under which the source of a program's output is kept that a finished call left running. */
export const startedProcess = ({ host, session, payload }: StepOf<'toolCallResult'>): string | undefined => {
  const { tool, output } = payload
  if (PROCESSES.get(host)?.start.includes(tool.name) !== true) return undefined
  return markOf(session.id, isObject(output) ? idIn(output['details']) : undefined)
}

/** The mark of the program whose output a call shows. */
export const shownProcess = ({ host, session, payload }: StepOf<'toolCallResult'>): string | undefined =>
  PROCESSES.get(host)?.show.includes(payload.tool.name) === true ? markOf(session.id, idIn(payload.input)) : undefined
