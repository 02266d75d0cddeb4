import { parseArgs } from 'node:util'
import { SallyportError } from '../../errors.ts'
import { isObject } from '../../protocol/json.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Approval } from '../../record/approvals/approval.ts'
import { approvalDetail, approvalLines } from '../approval-view.ts'
import type { Command, ExitCode, Io } from '../io.ts'
import { minutesOf } from '../minutes.ts'
import { atDesk, mayWaiveIn, mustBeAPerson, personOf } from '../person-desk.ts'
import type { PersonDesk } from '../person-desk.ts'
import { jsonLine, paintFor } from '../trace-view.ts'
import type { Paint } from '../trace-view.ts'

const USAGE = `Usage: sallyport approvals ls [--all]
       sallyport approvals show ID
       sallyport approvals approve ID [--for TIME] [--reason TEXT]
       sallyport approvals deny ID [--reason TEXT]
       sallyport approvals revoke ID [--reason TEXT]
       sallyport approvals edit ID --input JSON [--reason TEXT]
       sallyport approvals override SESSION SEQ --reason TEXT

Answers for calls that wait for a person, whether the guard runs or not. ID may be the beginning of one, or \`last\` where
only one waits.

  ls       what waits for an answer; with --all also what is settled
  show     one of them: the call, which rule asks and why
  approve  lets the call through when the agent makes it again: once, or with --for every such call in the project
  deny     the call stays refused, and the agent is told so
  revoke   what was approved, for a time or not used yet, holds no longer
  edit     approves, but with other arguments than the agent's; they are checked again before they run
  override break-glass: lets a call that was denied through once, when it is made again soon; SESSION and SEQ as in
           \`sallyport trace show\`. Rules that are final or set by the managed configuration stay.

  --for TIME     such as 30m or 2h, at most \`approvals.maxGrantMinutes\` of sallyport.yaml
  --input JSON   the tool's arguments, all of them; - reads them from standard input
  --reason TEXT  for the record, and, with a denial, for the agent
  --by NAME      who answers (default: your user name)
  --data DIR     the guard's data folder (default: $SALLYPORT_DATA or ~/.local/share/sallyport)
  --json         one JSON value a line; times are milliseconds since the epoch

Exit code 1 when somebody else has answered before.`

const OPTIONS = {
  all: { type: 'boolean', default: false },
  by: { type: 'string' },
  data: { type: 'string' },
  for: { type: 'string' },
  input: { type: 'string' },
  json: { type: 'boolean', default: false },
  reason: { type: 'string', default: '' },
} as const

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })

const misuse = (detail: string): SallyportError => new SallyportError('SP_USAGE', { detail, command: 'approvals' })

/** What a subcommand is given. */
interface Call {
  readonly desk: PersonDesk
  readonly io: Io
  readonly paint: Paint
  readonly now: number
  readonly given: string | undefined
  readonly second: string | undefined
  readonly options: ReturnType<typeof parse>['values']
}

/** The approval that a person means: its id, the beginning of it, or `last`. */
const named = ({ desk, given, now }: Call, answers: boolean): Approval => {
  if (given === undefined) throw misuse('give the ID of an approval; `sallyport approvals ls` lists them.')
  const exact = desk.store.get(given)
  if (exact !== undefined) return exact
  const all = desk.store.list({ states: ['pending', 'granted'], limit: 10_000 })
  const open = all.filter(({ expiresAt }) => expiresAt > now)
  const pending = open.filter(({ state }) => state === 'pending')
  // Another call may have come since the person looked: an answer goes to the one that they saw.
  if (given === 'last' && answers && pending.length > 1)
    throw misuse(`${pending.length} calls wait; give the ID of the one you have looked at.`)
  const meant = given === 'last' ? pending.slice(0, 1) : open.filter(({ id }) => id.startsWith(given))
  const [only, ...others] = meant
  if (only === undefined) throw new SallyportError('SP_APPROVAL_UNKNOWN', { id: given })
  if (others.length > 0) throw misuse(`${meant.length} approvals begin with "${given}"; give more of the id.`)
  return only
}

const ls = ({ desk, io, options, paint, now }: Call): ExitCode => {
  const all = desk.store.list(options.all ? {} : { states: ['pending', 'granted'] })
  const shown = options.all ? all : all.filter(({ expiresAt }) => expiresAt > now)
  if (options.json) for (const one of shown) io.out(jsonLine(one))
  else if (shown.length === 0) io.out('Nothing waits for an answer.')
  else for (const line of approvalLines(shown, now, paint)) io.out(line)
  return 0
}

const show = (call: Call): ExitCode => {
  const one = named(call, false)
  if (call.options.json) call.io.out(jsonLine(one))
  else for (const line of approvalDetail(one, call.now, call.paint)) call.io.out(line)
  return 0
}

const answer = async (call: Call, given: Parameters<PersonDesk['answering']['answer']>[1]): Promise<ExitCode> => {
  const { desk, io, options } = call
  try {
    const one = await desk.answering.answer(named(call, true).id, given)
    if (options.json) io.out(jsonLine(one))
    else for (const line of approvalDetail(one, call.now, call.paint)) io.out(line)
    if (!options.json && one.state === 'granted') io.out('The agent can make the call again now.')
    return 0
  } catch (error) {
    if (!(error instanceof SallyportError) || error.code !== 'SP_APPROVAL_SETTLED') throw error
    io.err(`sallyport approvals: ${error.code}: ${error.message}`)
    return 1
  }
}

const saidBy = ({ options, io }: Call): { readonly by: string; readonly reason: string } => ({
  by: personOf(options.by, io.env),
  reason: options.reason,
})

const approve = async (call: Call): Promise<ExitCode> => {
  const { options } = call
  if (options.input !== undefined) throw misuse('other arguments are given by `approvals edit`.')
  const forMinutes = options.for === undefined ? undefined : minutesOf(options.for)
  if (options.for !== undefined && forMinutes === undefined)
    throw misuse(`--for takes a time such as 30m or 2h, not "${options.for}".`)
  const time = forMinutes === undefined ? {} : { forMinutes }
  return answer(call, { answer: 'approve', ...saidBy(call), ...time })
}

const deny = async (call: Call): Promise<ExitCode> => answer(call, { answer: 'deny', ...saidBy(call) })

const revoke = async (call: Call): Promise<ExitCode> => answer(call, { answer: 'revoke', ...saidBy(call) })

const edit = async (call: Call): Promise<ExitCode> => {
  const { options, io } = call
  if (options.input === undefined) throw misuse('edit needs --input with the arguments as JSON.')
  const text = options.input === '-' ? await io.stdin() : options.input
  return answer(call, { answer: 'approve', ...saidBy(call), input: inputOf(text) })
}

const override = async (call: Call): Promise<ExitCode> => {
  const { desk, io, options, given: session, second = '' } = call
  if (session === undefined || !/^\d{1,12}$/.test(second)) throw misuse('override needs SESSION and SEQ.')
  const seq = Number(second)
  const mayWaive = await mayWaiveIn(io, options.data)
  for await (const event of desk.trace.events({ session, fromSeq: seq, limit: 1 })) {
    if (event.seq !== seq) break
    const one = await desk.overriding(mayWaive).override(event, saidBy(call))
    if (options.json) io.out(jsonLine(one))
    else for (const line of approvalDetail(one, call.now, call.paint)) io.out(line)
    return 0
  }
  throw misuse(`There is no event ${seq} in session "${session}"; \`sallyport trace show\` lists them.`)
}

const inputOf = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value as JsonObject
  } catch {
    // Said below.
  }
  throw misuse('--input takes one JSON object: all the arguments of the tool.')
}

interface Subcommand {
  readonly answers: boolean
  /** Operands after its name. */
  readonly takes: number
  readonly run: (call: Call) => ExitCode | Promise<ExitCode>
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  ls: { answers: false, takes: 0, run: ls },
  show: { answers: false, takes: 1, run: show },
  approve: { answers: true, takes: 1, run: approve },
  deny: { answers: true, takes: 1, run: deny },
  revoke: { answers: true, takes: 1, run: revoke },
  edit: { answers: true, takes: 1, run: edit },
  override: { answers: true, takes: 2, run: override },
}

/** Makes `sallyport approvals`. `now` in milliseconds since the epoch. */
export const createApprovals = (now: () => number): Command => ({
  name: 'approvals',
  summary: 'answer for calls that wait for a person',
  usage: USAGE,
  async run(args, io) {
    const { values: options, positionals } = parse(args)
    const [name = '', ...operands] = positionals
    const [given, second] = operands
    const sub = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined
    if (sub === undefined) throw misuse(`approvals takes one of ${Object.keys(SUBCOMMANDS).join(', ')}.`)
    const extra = operands[sub.takes]
    if (extra !== undefined) throw misuse(`approvals ${name} does not take "${extra}".`)
    if (sub.answers) mustBeAPerson(io.env)
    const paint = paintFor(io.isTty && io.env['NO_COLOR'] === undefined)
    return atDesk(io, options.data, async (desk) => sub.run({ desk, io, paint, now: now(), given, second, options }))
  },
})

/** `sallyport approvals`. */
export const approvals: Command = createApprovals(Date.now)
