import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { runCli } from '../cli.ts'
import { parseEvents } from '../trace.ts'
import { createNeedles, type Needles } from './needles.ts'
import { recordedPlaces, requestFile, type ModelRequest } from './scripted-model.ts'
import { eachCell } from './state-search.ts'
import { written, type Encoding, type Kind, type Written } from './values.ts'
import type { Place, WayIn } from './ways-in.ts'

/** One value by one way; without a value, words that are not sensitive. */
export interface Scenario {
  readonly way: WayIn
  readonly value?: Written
  /** A word that stands beside the value, and nowhere else. */
  readonly mark: string
}

/** Scenarios of one way whose words come in one message. */
export type Message = readonly Scenario[]

/** What came of a scenario. Places are the models' requests, or where the host keeps something. */
export interface Outcome extends Scenario {
  /** The words came to a model, to their end. */
  readonly open: boolean
  /** Where the value was found and must not be. */
  readonly leaks: readonly string[]
  /** Where it was found and the documentation says that it is. */
  readonly stays: readonly string[]
  /** The trace says that it was masked or refused, and it is there all the same. */
  readonly untrue: boolean
  /** It was taken out, and the trace does not say so. */
  readonly unsaid: boolean
  /** It came nowhere, and nothing says that it was refused: the host itself has not taken it. */
  readonly absent: boolean
  /** Its message was refused for the sake of other values, or cut off: that proves nothing, and it has to be sent again. */
  readonly refused: boolean
  /** What the conversation says to a benign message afterwards, if that is not its answer. */
  readonly locked?: string
  /** The way itself failed. */
  readonly failed?: string
}

/** A request to the model of the conversation that has to go on, and one of any other. */
const OWN_MODEL = 'its own model'
const MODEL = 'a model'

const ANSWER = 'With pleasure.'
const SETTLED_MS = 5_000
/** Milliseconds that are waited longer before each further message. */
const WAIT_MS = 1_000
/** Messages after which a conversation that has not answered counts as locked. */
const TURNS = 5

/**
 * Every way with words that are not sensitive, and with a value of each kind in each encoding; in turn, with a value of
 * each kind in one encoding, so that all pairs of a way and an encoding, and of a kind and an encoding, come up.
 */
export const scenariosOf = (
  ways: readonly WayIn[],
  kinds: readonly Kind[],
  encodings: readonly Encoding[],
  { name, inTurn = false }: { readonly name: string; readonly inTurn?: boolean },
): readonly Scenario[] => {
  const encodingsOf = (way: number, kind: number): readonly Encoding[] => {
    const at = (way * kinds.length + kind) % encodings.length
    return inTurn ? encodings.slice(at, at + 1) : encodings
  }
  return ways
    .flatMap((way, wayAt) => [
      { way },
      ...kinds.flatMap((kind, kindAt) =>
        encodingsOf(wayAt, kindAt).map((encoding) => ({ way, value: written(kind, encoding) })),
      ),
    ])
    .map((one, index) => ({ ...one, mark: `mark${name}q${index}q` }))
}

/**
 * One message for each way and so many encodings, with a value of every kind in each; in parts, every way in each part,
 * so that all ways come up early. Benign words come last, in messages of their own.
 */
export const together = (
  scenarios: readonly Scenario[],
  encodings: readonly Encoding[],
  size: number,
): readonly (readonly Message[])[] => {
  const partOf = ({ value }: Scenario): number =>
    value === undefined ? Infinity : Math.floor(encodings.indexOf(value.encoding) / size)
  const parts = [...Map.groupBy(scenarios, partOf)].toSorted(([a], [b]) => a - b)
  return parts.map(([, part]) => [...Map.groupBy(part, ({ way }) => way).values()])
}

/** What a refused message proved nothing of: without the values that the trace names, by encodings, or each value alone. */
export const againOf = (messages: readonly Message[], outcomes: readonly Outcome[]): readonly Message[] => {
  const refused = new Set(outcomes.filter((one) => one.refused).map(({ mark }) => mark))
  return messages.flatMap((message) => {
    const left = message.filter(({ mark }) => refused.has(mark))
    // No mark is part of another one.
    const anew = left.map((one) => ({ ...one, mark: one.mark.replace(/q$/, 'rq') }))
    if (anew.length < message.length) return anew.length === 0 ? [] : [anew]
    const byEncoding = [...Map.groupBy(anew, ({ value }) => value?.encoding).values()]
    return byEncoding.length > 1 ? byEncoding : anew.map((one) => [one])
  })
}

interface Brought {
  /** It came alone in its message. */
  readonly alone: boolean
  readonly talk?: string
  readonly locked?: string
  readonly failed?: string
}

/** What stands before and behind a value: where the host has cut the value off, one of them is missing. */
const startOf = (mark: string): string => `is ${mark}.`
const endOf = (mark: string): string => `end${mark}`

/** Benign words are one line, as `/btw` takes one. */
const shownIn = ({ value }: Scenario): string =>
  // Without the blank, a host that joins the lines of a name would make one word of the value and the next.
  value === undefined ? 'a pumpkin ' : `${value.text} \n`

const wordsOf = (message: Message): string =>
  message
    .map((one) => `This ${startOf(one.mark)} Work with this: ${shownIn(one)}${endOf(one.mark)} Thanks.`)
    .join('\n\n')

const bring = async (place: Place, way: WayIn, words: string, isFollowed: boolean): Promise<Omit<Brought, 'alone'>> => {
  try {
    const talk = await way.bring(place, words)
    if (!isFollowed) return { talk: talk.id }
    let said = ''
    // What still runs of the way may take the first message for its own.
    for (let turns = 0; turns < TURNS && said !== ANSWER; turns++) {
      await sleep(turns * WAIT_MS)
      said = (await talk.turn('And now to something else.', { say: ANSWER }, { say: ANSWER })).shown.last
    }
    return { talk: talk.id, ...(said === ANSWER ? {} : { locked: said.slice(0, 200) }) }
  } catch (error) {
    return { failed: String(error).slice(0, 300) }
  }
}

interface Work {
  readonly messages: readonly Message[]
  readonly atATime: number
  /** Whether a benign message follows each. */
  readonly isFollowed: boolean
  readonly brought: Map<Scenario, Brought>
}

const bringAll = async (place: Place, { messages, atATime, isFollowed, brought }: Work): Promise<void> => {
  const bringOne = async (message: Message, { way }: Scenario): Promise<void> => {
    const result = { ...(await bring(place, way, wordsOf(message), isFollowed)), alone: message.length === 1 }
    for (const one of message) brought.set(one, result)
  }
  const listed = messages.flatMap((message) => message.slice(0, 1).map((first) => ({ message, first })))
  for (const { message, first } of listed.filter((one) => one.first.way.alone === true)) await bringOne(message, first)
  const rest = listed.filter((one) => one.first.way.alone !== true).values()
  const work = async (): Promise<void> => {
    for (const { message, first } of rest) await bringOne(message, first)
  }
  await Promise.all(Array.from({ length: atATime }, work))
}

/** Where each value was found. */
type Finds = Map<Scenario, Set<string>>

const note = (finds: Finds, place: string, those: ReadonlySet<Scenario>): void => {
  for (const one of those) finds.set(one, (finds.get(one) ?? new Set()).add(place))
}

/** Looks for all values in every request to the model, and for the ends of all words. */
const searchRequests = async (
  { gateway }: Place,
  talkOf: (one: Scenario) => string | undefined,
  values: Needles<Scenario>,
  { starts, ends }: { readonly starts: Needles<Scenario>; readonly ends: Needles<Scenario> },
) => {
  const finds: Finds = new Map()
  const open = new Set<Scenario>()
  for (const at of await recordedPlaces(gateway.model)) {
    const bytes = await readFile(requestFile(gateway.model, at))
    // Some hosts cut a text at its end, others in the middle.
    const begun = starts.in(bytes)
    for (const one of ends.in(bytes)) if (begun.has(one)) open.add(one)
    const found = values.in(bytes)
    if (found.size === 0) continue
    // Written by the scripted model of the same run.
    const { caseId = '' } = JSON.parse(bytes.toString('utf8')) as ModelRequest
    for (const one of found) {
      const talk = talkOf(one)
      note(finds, talk !== undefined && caseId.startsWith(`${talk}t`) ? OWN_MODEL : MODEL, new Set([one]))
    }
  }
  return { finds, open }
}

/** Looks for all values in every table and file that the gateway has written, ours included. */
const searchHost = async ({ gateway }: Place, values: Needles<Scenario>): Promise<Finds> => {
  const finds: Finds = new Map()
  const folders = [
    gateway.state,
    gateway.data,
    gateway.workspace,
    join(gateway.root, 'home'),
    join(gateway.root, 'tmp'),
  ]
  for (const folder of folders)
    await eachCell(folder, ({ file, column = '' }, bytes) =>
      note(finds, `${relative(gateway.root, folder)}/${file} ${column}`.trim(), values.in(bytes)),
    )
  for (const file of [gateway.logFile, gateway.sentFile])
    note(finds, relative(gateway.root, file), values.in(await readFile(file)))
  return finds
}

/** A decision by which something did not go on as it came. */
const CLAIM = z.looseObject({ verdict: z.looseObject({ decision: z.enum(['modify', 'deny']) }) })

/** Whether something stands masked between a mark and the end of its words. */
const maskedBeside = (text: string, mark: string): boolean =>
  text.split(mark).some((after, index) => index > 0 && after.split('Thanks.', 1)[0]?.includes('[masked:') === true)

/** Scenarios of which the trace says that something was masked or refused; which value of a message it was, by its place. */
const claimed = async (
  { gateway }: Place,
  data: string,
  marks: Needles<Scenario>,
  isAlone: (one: Scenario) => boolean,
): Promise<ReadonlySet<Scenario>> => {
  const args = ['trace', 'tail', '-n', '10000000', '--json', '--data', data]
  const { out } = await runCli(args, { env: gateway.env, cwd: gateway.workspace })
  // Without a guard there is no trace.
  const events = out.trim() === '' ? [] : parseEvents(out)
  const claims = events.filter(({ body }) => CLAIM.safeParse(body).success).map((event) => JSON.stringify(event))
  const named = (text: string): readonly Scenario[] =>
    [...marks.in(Buffer.from(text))].filter((one) => isAlone(one) || maskedBeside(text, one.mark))
  return new Set(claims.flatMap(named))
}

/** What the documentation says that stays: values where the host keeps them before any plugin hears of them, people's data. */
const mayStay = ({ way, value }: Scenario, place: string): boolean => {
  if (way.keeps?.some((kept) => place.includes(kept)) === true) return true
  if (value?.kind.of !== 'personal') return false
  return way.masksPersonal !== true || place === OWN_MODEL
}

const outcomeOf = (
  one: Scenario,
  { alone, locked, failed }: Brought,
  { found, open, said }: { readonly found: readonly string[]; readonly open: boolean; readonly said: boolean },
): Outcome => {
  const leaks = found.filter((where) => !mayStay(one, where))
  const nowhere = one.value !== undefined && !open && !said
  const refused = nowhere && !alone && one.way.keptOnly !== true
  return {
    ...one,
    open,
    absent: nowhere && !refused && found.length === 0,
    refused,
    leaks,
    stays: found.filter((where) => mayStay(one, where)),
    untrue: said && leaks.length > 0,
    unsaid: one.value !== undefined && open && found.length === 0 && !said,
    ...(locked === undefined ? {} : { locked }),
    ...(failed === undefined ? {} : { failed }),
  }
}

/** A run over one gateway. */
export interface LeakRun {
  /** Brings messages in by their ways, and a benign message after each, if it is to be shown that the conversation continues. */
  bring(messages: readonly Message[], isFollowed?: boolean): Promise<void>
  /** Looks for all that was brought so far. */
  outcomes(): Promise<readonly Outcome[]>
}

/** Begins a run. @param data folder of the guard's records */
export const createLeakRun = (
  place: Place,
  { data, atATime }: { readonly data: string; readonly atATime: number },
): LeakRun => {
  const brought = new Map<Scenario, Brought>()
  return {
    bring: (messages, isFollowed = true) => bringAll(place, { messages, atATime, isFollowed, brought }),
    outcomes: async () => {
      await sleep(SETTLED_MS)
      const values = createNeedles<Scenario>()
      const marks = createNeedles<Scenario>()
      const starts = createNeedles<Scenario>()
      const ends = createNeedles<Scenario>()
      for (const one of brought.keys()) {
        marks.add(one.mark, one)
        starts.add(startOf(one.mark), one)
        ends.add(endOf(one.mark), one)
        for (const needle of one.value?.needles ?? []) values.add(needle, one)
      }
      const requests = await searchRequests(place, (one) => brought.get(one)?.talk, values, { starts, ends })
      const host = await searchHost(place, values)
      const claims = await claimed(place, data, marks, (one) => brought.get(one)?.alone === true)
      return [...brought].map(([one, how]) =>
        outcomeOf(one, how, {
          found: [...(requests.finds.get(one) ?? []), ...(host.get(one) ?? [])],
          open: requests.open.has(one),
          said: claims.has(one),
        }),
      )
    },
  }
}

/** Brings every value in by its way, each in a message of its own, and looks for it afterwards. */
export const runLeaks = async (
  place: Place,
  scenarios: readonly Scenario[],
  options: { readonly data: string; readonly atATime: number },
): Promise<readonly Outcome[]> => {
  const run = createLeakRun(place, options)
  await run.bring(scenarios.map((one) => [one]))
  return run.outcomes()
}
