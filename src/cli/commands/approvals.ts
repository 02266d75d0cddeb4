import { readSubcommand } from '../io/arguments.ts'
import type { OptionValues } from '../io/arguments.ts'
import { dataFolder } from '../../config/data-folder.ts'
import { SallyportError } from '../../errors/errors.ts'
import { isObject } from '../../protocol/json.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Proposal } from '../../record/approvals/answering.ts'
import { standingAt } from '../../record/approvals/approval.ts'
import type { Approval } from '../../record/approvals/approval.ts'
import { disabledAt } from '../../record/approvals/disabling.ts'
import type { ApprovalQuery } from '../../record/approvals/store.ts'
import { newestOfEach, restLines, approvalDetail, approvalLines, approvalOutcome } from '../views/approval-view.ts'
import { historyOf } from '../views/approval-history.ts'
import type { ApprovalLook } from '../views/approval-view.ts'
import { editText } from '../io/editor.ts'
import { guardPage } from '../signing/guard-page.ts'
import type { Command, ExitCode, Io } from '../io/io.ts'
import { withApprovalRecords, mayWaiveIn, refuseAgents, personOf } from '../signing/approval-records.ts'
import type { ApprovalRecords } from '../signing/approval-records.ts'
import { disabledLine } from '../signing/rule-switch.ts'
import { eventLines, jsonLine, paintFor, visible } from '../views/trace-view.ts'
import { minutesIn } from '../io/period.ts'

const USAGE = `Usage: sallyport approvals ls [--all] [--session NAME] [--limit N]
       sallyport approvals show ID
       sallyport approvals approve ID [--for TIME] [--reason TEXT]
       sallyport approvals deny ID [--reason TEXT]
       sallyport approvals revoke ID [--reason TEXT]
       sallyport approvals edit ID [--input JSON] [--reason TEXT]
       sallyport approvals open
       sallyport approvals override SESSION SEQ --reason TEXT

Answers pending approvals, whether or not the guard is running. Whatever lets a call through (approve, edit, override)
is signed with an enrolled key (\`sallyport keys add\`), and the guard verifies the signature when the call is made. ID may
be a prefix, or \`last\` if only one approval is pending.

  ls       lists pending and granted approvals; with --all also settled ones
  show     shows an approval: the call, the rule and its reason, the effects, and the preceding steps of the session
  approve  lets the call through when the agent repeats it: once, or with --for every such call in the project
  deny     keeps the call refused, and the agent learns that
  revoke   withdraws a grant that is unused or has not expired
  edit     approves with edited arguments, which are checked again before they run. Without --input, opens them in
           your editor ($VISUAL or $EDITOR)
  open     prints the address of a page to answer with a passkey; it works once, and the guard must be running
  override break-glass: lets a denied call through once, if it is repeated soon; SESSION and SEQ as in
           \`sallyport trace show\`. Rules that are final or set by the managed configuration stay.

  --for TIME     duration such as 30m or 2h, at most \`approvals.maxGrantMinutes\` of sallyport.yaml
  --input JSON   all arguments of the tool; - reads them from standard input
  --reason TEXT  recorded, and shown to the agent with a denial
  --session NAME ls: only those of one session
  --limit N      ls: at most the newest N (default: 50; with --json all)
  --key NAME     the key to sign with (default: the first that can be used here; see \`sallyport keys ls\`)
  --by NAME      name of the person who answers (default: your user name)
  --data DIR     the guard's data folder (default: $SALLYPORT_DATA or ~/.local/share/sallyport)
  --json         one JSON value per line; times are milliseconds since the epoch

Exit code 1 if the approval was already answered.`

const OPTIONS = {
  all: { type: 'boolean', default: false },
  by: { type: 'string' },
  key: { type: 'string' },
  data: { type: 'string' },
  for: { type: 'string' },
  input: { type: 'string' },
  limit: { type: 'string' },
  session: { type: 'string' },
  json: { type: 'boolean', default: false },
  reason: { type: 'string', default: '' },
} as const

const misuse = (detail: string): SallyportError => new SallyportError('SP_USAGE', { detail, command: 'approvals' })

/** Default length of a printed list of approvals. */
const LISTED = 50
/** Approvals searched for that list. */
const LOOKED = 10_000

/** Input of a subcommand. */
interface Call {
  readonly records: ApprovalRecords
  readonly io: Io
  readonly look: ApprovalLook
  readonly now: number
  readonly given: string | undefined
  readonly second: string | undefined
  readonly options: OptionValues<typeof OPTIONS>
}

const OPEN = ['pending', 'granted'] as const

/** The approval that a person names: by id, the beginning of it, or `last`. */
const named = ({ records, given = '', now }: Call, answers: boolean): Approval => {
  if (given === '') throw misuse('missing the ID of an approval; `sallyport approvals ls` lists them.')
  const exact = records.store.get(given)
  if (exact !== undefined) return exact
  const last = given === 'last'
  const query: ApprovalQuery = last
    ? { states: ['pending'], openAt: now }
    : { states: OPEN, openAt: now, idFrom: given }
  const [only, other] = records.store.list({ ...query, limit: 2 })
  if (only === undefined) throw new SallyportError('SP_APPROVAL_UNKNOWN', { id: given })
  if (other === undefined) return only
  if (!last) throw misuse(`${records.store.count(query)} approvals start with "${given}"; give a longer prefix.`)
  // A new call may have arrived since the person looked: an answer applies to the one that they saw.
  if (answers)
    throw misuse(`${records.store.count(query)} approvals are pending; give the ID of the one that you have reviewed.`)
  return only
}

const limitOf = ({ limit, json }: Call['options']): number => {
  if (limit === undefined) return json ? Infinity : LISTED
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit)
  throw misuse(`--limit takes a number of approvals, not "${limit}".`)
}

const ls = ({ records, io, options, look, now }: Call): ExitCode => {
  const limit = limitOf(options)
  const query: ApprovalQuery = {
    ...(options.all ? {} : { states: OPEN, openAt: now }),
    ...(options.session === undefined ? {} : { session: options.session }),
  }
  if (options.json) {
    for (const one of records.store.list({ ...query, limit })) io.out(jsonLine(standingAt(one, now)))
    return 0
  }
  const all = records.store.list({ ...query, limit: Math.max(limit, LOOKED) })
  const shown = options.session === undefined ? newestOfEach(all, limit) : all.slice(0, limit)
  if (shown.length === 0) io.out('No approvals are pending.')
  else for (const line of approvalLines(shown, look)) io.out(line)
  for (const line of restLines(shown, all, records.store.count(query))) io.out(line)
  for (const one of disabledAt(records.store.disabledRules(), now)) io.out(look.paint('yellow', disabledLine(one)))
  return 0
}

/** Prints one approval with everything that matters for the answer. */
const printApproval = async ({ records, io, options, look }: Call, one: Approval): Promise<void> => {
  if (options.json) io.out(jsonLine(standingAt(one, look.now)))
  else for (const line of approvalDetail(one, await historyOf(records.trace, one), look)) io.out(line)
}

/** Prints the outcome of one that was shown before it was signed. */
const reportOutcome = async (call: Call, one: Approval): Promise<void> => {
  const { io, options, look } = call
  if (options.json) await printApproval(call, one)
  else for (const line of approvalOutcome(one, look)) io.out(line)
}

const show = async (call: Call): Promise<ExitCode> => {
  await printApproval(call, named(call, false))
  return 0
}

/** Sends an answer, and reports when another person was first. */
const answerBy = async (call: Call, give: () => Promise<Approval>, say = printApproval): Promise<ExitCode> => {
  const { io } = call
  try {
    await say(call, await give())
    return 0
  } catch (error) {
    if (!(error instanceof SallyportError) || error.code !== 'SP_APPROVAL_SETTLED') throw error
    io.err(`sallyport approvals: ${error.code}: ${visible(error.message)}`)
    return 1
  }
}

/** Refuses, which needs no signature. */
const answer = (call: Call, one: Approval, verb: 'deny' | 'revoke'): Promise<ExitCode> =>
  answerBy(call, () => call.records.answering.answer(one.id, { answer: verb, ...saidBy(call) }))

/** Shows the call, lets the person sign, and approves it. */
const sign = (call: Call, one: Approval, more: Pick<Proposal, 'forMinutes' | 'input'>): Promise<ExitCode> => {
  const give = async (): Promise<Approval> => {
    const { records, io, options, look } = call
    const statement = records.answering.propose(one.id, { ...saidBy(call), ...more })
    if (!options.json) {
      const { input } = more
      const shown = input === undefined ? one : { ...one, input }
      for (const line of approvalDetail(shown, await historyOf(records.trace, one), { ...look, answers: false }))
        io.err(line)
    }
    const signed = await records.sign(statement, options.key)
    return records.answering.answer(one.id, { answer: 'approve', signed })
  }
  return answerBy(call, give, reportOutcome)
}

const saidBy = ({ options, io }: Call): { readonly by: string; readonly reason: string } => ({
  by: personOf(options.by, io.env),
  reason: options.reason,
})

const approve = async (call: Call): Promise<ExitCode> => {
  const { options } = call
  if (options.input !== undefined) throw misuse('use `approvals edit` to change the arguments.')
  const forMinutes = options.for === undefined ? undefined : minutesIn(options.for)
  if (options.for !== undefined && forMinutes === undefined)
    throw misuse(`--for takes a time such as 30m or 2h, not "${options.for}".`)
  const time = forMinutes === undefined ? {} : { forMinutes }
  return sign(call, named(call, true), time)
}

const deny = async (call: Call): Promise<ExitCode> => answer(call, named(call, true), 'deny')

const revoke = async (call: Call): Promise<ExitCode> => answer(call, named(call, true), 'revoke')

/** The arguments after the person has edited them. */
const inputByEditor = async ({ io, options }: Call, { call }: Approval): Promise<JsonObject> => {
  if (!isObject(call['input'])) throw misuse('only tool calls have arguments that can be edited.')
  if (!io.isTty) throw misuse('edit needs --input with the arguments as JSON, or a terminal with an editor.')
  const text = `${JSON.stringify(call['input'], null, 2)}\n`
  const folder = dataFolder(options.data, io.env, io.home)
  const edited = await editText({ text, folder, name: 'arguments.json' }, io.env)
  if (edited.outcome === 'failed')
    throw misuse(`Nothing was answered: ${edited.why}; you can pass the arguments with --input.`)
  if (edited.text === text) throw misuse('Nothing was answered: the arguments were not changed.')
  return inputOf(edited.text)
}

const edit = async (call: Call): Promise<ExitCode> => {
  const { options, io } = call
  const one = named(call, true)
  const input =
    options.input === undefined
      ? await inputByEditor(call, one)
      : inputOf(options.input === '-' ? await io.stdin() : options.input)
  return sign(call, one, { input })
}

const override = async (call: Call): Promise<ExitCode> => {
  const { records, io, look, options, given: session, second = '' } = call
  if (session === undefined || !/^\d{1,12}$/.test(second)) throw misuse('override needs SESSION and SEQ.')
  const seq = Number(second)
  const mayWaive = await mayWaiveIn(io, options.data)
  for await (const event of records.trace.events({ session, fromSeq: seq, limit: 1 })) {
    if (event.seq !== seq) break
    const overriding = records.overriding(mayWaive)
    const statement = overriding.propose(event, saidBy(call))
    if (!options.json) for (const line of eventLines(event, look.paint, { session: false })) io.err(line)
    await printApproval(call, await overriding.override(event, await records.sign(statement, options.key)))
    return 0
  }
  throw misuse(`There is no event ${seq} in session "${session}"; \`sallyport trace show\` lists them.`)
}

/** Prints the address of the page. */
const open = async ({ io, options }: Call): Promise<ExitCode> => {
  const page = guardPage(dataFolder(options.data, io.env, io.home), io)
  const { url } = await page.open({ kind: 'list' })
  io.out(options.json ? jsonLine({ url }) : url)
  return 0
}

const inputOf = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value as JsonObject
  } catch {
    // Reported below.
  }
  throw misuse('Nothing was answered: the edited arguments must be one JSON object with all of them.')
}

interface Subcommand {
  readonly answers: boolean
  /** Most operands after its name. */
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
  open: { answers: true, takes: 0, run: open },
}

/** Makes `sallyport approvals`. `now` in milliseconds since the epoch. */
export const createApprovals = (now: () => number): Command => ({
  name: 'approvals',
  summary: 'list and answer approvals',
  usage: USAGE,
  async run(args, io) {
    const { options, name, operands, sub } = readSubcommand(args, OPTIONS, SUBCOMMANDS)
    const [given, second] = operands
    if (sub === undefined) throw misuse(`approvals takes one of ${Object.keys(SUBCOMMANDS).join(', ')}.`)
    const extra = operands[sub.takes]
    if (extra !== undefined) throw misuse(`approvals ${name} does not accept "${extra}".`)
    if (sub.answers) refuseAgents(io.env)
    return withApprovalRecords(io, options.data, async (records) => {
      const at = now()
      const look = { now: at, paint: paintFor(io), columns: io.columns ?? Infinity }
      return sub.run({ records, io, look, now: at, given, second, options })
    })
  },
})

/** `sallyport approvals`. */
export const approvals: Command = createApprovals(Date.now)
