import type { Approval, ApprovalState } from '../record/approvals/approval.ts'
import { settledAs } from '../record/approvals/answering.ts'
import type { Paint } from './trace-view.ts'
import { jsonLine, visible } from './trace-view.ts'

const STYLES = { pending: 'yellow', granted: 'green', used: 'green', denied: 'red', expired: 'dim' } as const

const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`

/** `in 12 min`, or `over`. */
const leftOf = (until: number, now: number): string => {
  const minutes = Math.ceil((until - now) / 60_000)
  return minutes <= 0 ? 'over' : `in ${minutes} min`
}

/** An approval whose time is over is one no more, though nobody has ended it yet. */
const stateOf = ({ state, expiresAt }: Approval, now: number): ApprovalState =>
  (state === 'pending' || state === 'granted') && expiresAt <= now ? 'expired' : state

/** What the call does, in a line: the command or path where there is one. */
const heartOf = ({ call }: Approval): string => {
  const { input } = call
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return jsonLine(call)
  for (const name of ['command', 'file_path', 'path', 'url']) {
    const value = (input as Readonly<Record<string, unknown>>)[name]
    if (typeof value === 'string') return value
  }
  return jsonLine(input)
}

const WIDTH = 100

/** One line for each approval. */
export const approvalLines = (approvals: readonly Approval[], now: number, paint: Paint): readonly string[] => [
  paint('bold', `${'ID'.padEnd(9)}  ${'STATE'.padEnd(8)}  ${'ENDS'.padEnd(10)}  CALL`),
  ...approvals.map((one) => {
    const state = stateOf(one, now)
    const ends = state === 'pending' || state === 'granted' ? leftOf(one.expiresAt, now) : ''
    const about = visible(`${one.tool}: ${heartOf(one)}`).slice(0, WIDTH)
    return `${one.id.padEnd(9)}  ${paint(STYLES[state], state.padEnd(8))}  ${ends.padEnd(10)}  ${about}`
  }),
]

const howLong = (one: Approval): string =>
  one.standing
    ? `for every such call of this ${one.project === undefined ? 'session' : 'project'} until ${timeOf(one.expiresAt)}`
    : 'for this one call'

/** All that a person needs to answer one. */
export const approvalDetail = (one: Approval, now: number, paint: Paint): readonly string[] => {
  const state = stateOf(one, now)
  const rows: readonly (readonly [string, string])[] = [
    [
      'state',
      state === 'pending' ? `pending, can be answered until ${timeOf(one.expiresAt)}` : settledAs({ ...one, state }),
    ],
    ...(one.answer === undefined || one.answer.reason === '' ? [] : [['because', one.answer.reason] as const]),
    ...(one.answer !== undefined && state !== 'denied' ? [['holds', howLong(one)] as const] : []),
    ['kind', one.kind === 'override' ? 'override of a denied call' : 'a rule asks'],
    ['rules', one.rules.join(', ') || one.guardians.join(', ')],
    ['why', one.reason],
    ['agent', `${one.agent} of ${one.host}, session ${one.session}`],
    ...(one.project === undefined ? [] : [['project', one.project] as const]),
    ['asked', timeOf(one.requestedAt)],
    ['uses', String(one.uses)],
  ]
  const label = (name: string): string => paint('dim', name.padEnd(8))
  return [
    `${paint('bold', one.id)}  ${visible(one.tool)}`,
    ...rows.map(([name, text]) => `  ${label(name)} ${visible(text)}`),
    `  ${label('call')} ${jsonLine(one.call)}`,
    ...(one.input === undefined ? [] : [`  ${label('runs as')} ${jsonLine(one.input)}`]),
  ]
}
