import { hash } from 'node:crypto'
import type { ModelTurn } from '../../../core/model-turns.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import type { Entry } from './entry.ts'

/** The newest messages within a limit of characters. */
interface KeptMessages {
  push(message: JsonObject): void
  isEmpty(): boolean
  /** The messages, oldest first, preceded by the number left out. */
  messages(): Json
}

/** Makes an empty list. */
const createKeptMessages = (limit: number): KeptMessages => {
  const kept: { readonly message: JsonObject; readonly size: number }[] = []
  let total = 0
  let dropped = 0
  /** Messages before this index of `kept` are dropped already; they are removed many at a time. */
  let first = 0

  return Object.freeze<KeptMessages>({
    push(message) {
      const size = JSON.stringify(message).length
      kept.push({ message, size })
      total += size
      while (total > limit && first < kept.length - 1) {
        total -= kept[first]?.size ?? 0
        first++
        dropped++
      }
      if (first > 1_000) kept.splice(0, first)
      if (first > 1_000) first = 0
    },
    isEmpty: () => kept.length === 0,
    messages() {
      const messages = kept.slice(first).map(({ message }) => message)
      if (dropped === 0) return messages
      return [{ role: 'user', content: `[sallyport left out ${dropped} messages that were older]` }, ...messages]
    },
  })
}

type Answer = Extract<Entry, { readonly kind: 'answer' }>

/** A turn and its position. Bytes from the start of the transcript. */
export interface Assembled extends Omit<ModelTurn, 'place'> {
  readonly offset: number
  readonly taken: number
}

/** Builds turns from entries. */
export interface TurnAssembler {
  /** Adds the next entry, at `start` to `end`; returns the turn that it ends. */
  push(entry: Entry, start: number, end: number): Assembled | undefined
  /** Whether the current turn ends with this text, and nothing follows. */
  endsWith(text: string): boolean
  /** Whether a turn is open. */
  isOpen(): boolean
  /** Returns the current turn as it is. */
  finish(): Assembled | undefined
}

/** Limit in characters of a turn's input: the newest messages are stored, the last of them in any case. */
const INPUT = 262_144
/** Limit in characters of a turn's output; the excess is left out and marked. */
const OUTPUT = 524_288

/** The input of the model's next call. */
interface Context {
  readonly kept: KeptMessages
  /** The host's id of the person's turn. */
  turn?: string
  /** Where it begins. */
  from?: number
  /** It contains text, not only results. */
  isAsking?: boolean
}

/** The open turn. `after` came between and after its answers. */
interface Open {
  readonly context: Context
  readonly answers: Answer[]
  taken: number
  readonly after: Context
}

const emptyContext = (): Context => ({ kept: createKeptMessages(INPUT) })

/** A name in the form of a UUID (RFC 9562, version 8: made in a way of one's own). */
const nameOf = (parts: readonly string[]): string => {
  const hex = hash('sha256', parts.join('\n'))
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`]
  return [...groups, hex.slice(20, 32)].join('-')
}

/** Sum of the tokens of several messages; members that are not counts come from the last one. */
const added = (one: JsonObject | undefined, other: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries({ ...one, ...other }).map(([name, value]) => {
      const before = one?.[name]
      return [name, typeof before === 'number' && typeof value === 'number' ? before + value : value]
    }),
  )

/** Each line of a message has the usage of the whole message; the last line is the most complete. */
const usageOf = (answers: readonly Answer[]): JsonObject | undefined => {
  const byMessage = new Map<string, JsonObject>()
  for (const { usage, messageId = '' } of answers) if (usage !== undefined) byMessage.set(messageId, usage)
  return [...byMessage.values()].reduce<JsonObject | undefined>((sum, usage) => added(sum, usage), undefined)
}

const outputOf = (answers: readonly Answer[]): Json => {
  let left = OUTPUT
  const messages: JsonObject[] = []
  for (const { message } of answers) {
    left -= JSON.stringify(message).length
    if (left < 0) break
    messages.push(message)
  }
  const dropped = answers.length - messages.length
  const notice = { role: 'assistant', content: `[sallyport left out ${dropped} messages that follow]` }
  return dropped === 0 ? messages : [...messages, notice]
}

const assembled = (owner: string, { context, answers, taken, after }: Open): Assembled => {
  const model = answers.findLast((answer) => answer.model !== undefined)?.model
  const stopReason = answers.at(-1)?.stopReason
  const usage = usageOf(answers)
  return {
    id: nameOf([owner, ...answers.map(({ identity }) => identity)]),
    input: context.kept.messages(),
    output: outputOf(answers),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(context.turn === undefined ? {} : { turn: context.turn }),
    offset: after.from ?? taken,
    taken,
  }
}

/**
 * Groups answers that follow one another, and those of the same message where results came in between, into turns.
 * @param owner the session and agent, which are part of every turn's name
 * @param taken answers that begin before are part of turns that were taken already
 */
export const createTurnAssembler = (owner: string, taken = 0): TurnAssembler => {
  let context = emptyContext()
  let open: Open | undefined

  const finish = (): Assembled | undefined => {
    if (open === undefined) return undefined
    const done = open
    context = done.after
    open = undefined
    return assembled(owner, done)
  }

  const belongs = ({ answers, after }: Open, { messageId }: Answer): boolean =>
    after.kept.isEmpty() ||
    (after.isAsking !== true && messageId !== undefined && answers.at(-1)?.messageId === messageId)

  const pushAnswer = (answer: Answer, end: number): Assembled | undefined => {
    if (open !== undefined && belongs(open, answer)) {
      open.answers.push(answer)
      open.taken = end
      return undefined
    }
    const done = finish()
    open = { context, answers: [answer], taken: end, after: emptyContext() }
    return done
  }

  const pushContext = (entry: Extract<Entry, { kind: 'context' }>, start: number): undefined => {
    const { message, isResult, turn } = entry
    const to = open?.after ?? context
    to.kept.push(message)
    to.from ??= start
    if (turn !== undefined) to.turn = turn
    if (!isResult) to.isAsking = true
  }

  const pushForeign = (): Assembled | undefined => {
    const done = finish()
    context = emptyContext()
    return done
  }

  return Object.freeze<TurnAssembler>({
    push(entry, start, end) {
      switch (entry.kind) {
        case 'context':
          return pushContext(entry, start)
        case 'answer':
          return start < taken ? undefined : pushAnswer(entry, end)
        case 'foreign':
          return pushForeign()
        default:
          return entry satisfies never
      }
    },
    endsWith(text) {
      const last = open?.after.kept.isEmpty() === true ? open.answers.at(-1) : undefined
      const own = last?.text?.trim() ?? ''
      return own !== '' && last?.stopReason !== 'tool_use' && text.trim().endsWith(own)
    },
    isOpen: () => open !== undefined,
    finish,
  })
}
