import { isJsonObject } from '../../protocol/fields.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isArray } from '../../protocol/json.ts'
import type { Step } from '../../protocol/step.ts'

/** What an answer is made from: the event as the host sent it, and the step as it goes on after edits. */
export interface Answered {
  readonly event: JsonObject
  readonly reason: string
  /** The step as it goes on; absent where no verdict could be had. */
  readonly merged?: Step
}

/** The host's own return values at one hook. A form that is absent is one the host does not know there. */
export interface Answers {
  deny(answered: Answered): JsonObject | null
  modify?(answered: Answered): JsonObject | null
  ask?(answered: Answered): JsonObject | null
  /** Where even an allow has to be said. */
  readonly allow?: JsonObject
}

/** Milliseconds a person has to answer; the host takes ten minutes at most. */
const APPROVAL_MS = 120_000
/** UTF-16 units of what the model is told when nobody answers; room for the id and what to do. */
const LONGEST_TIMEOUT_REASON = 2_000
/** The host cuts an approval's title at 80 and its description at 512 characters. */
const LONGEST_DESCRIPTION = 512
const LONGEST_TITLE = 80

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`

const objectAt = (event: JsonObject, member: string): JsonObject => {
  const value = event[member]
  return isJsonObject(value) ? value : {}
}

/** What stands in a message instead of what it said. */
const notice = (reason: string): string => `[${reason}]`

const messageText = (merged: Step | undefined): string => (merged?.kind === 'agentMessage' ? merged.payload.text : '')

/** The step cannot be stopped here, or its answer is not heard. */
export const onReport: Answers = { deny: () => null }

/** before_dispatch: the person is told, and nothing of the message is kept. */
export const onDispatch: Answers = { deny: ({ reason }) => ({ handled: true, text: reason }) }

/** before_agent_reply: a reply in the model's stead; the only refusal that a caller over HTTP can read. */
export const onReply: Answers = {
  deny: ({ reason }) => ({ handled: true, reply: { text: reason }, reason: 'sallyport' }),
}

/** before_agent_run: any other shape than these two blocks with words of the host's. */
export const onRun: Answers = {
  deny: ({ reason }) => ({ outcome: 'block', reason: 'sallyport', message: reason, category: 'policy' }),
  allow: { outcome: 'pass' },
}

/** What stands beside a prompt: what is masked there is taken out on the way to the model. */
export const onRunContext: Answers = { ...onRun, modify: () => ({ outcome: 'pass' }) }

/** A text on its way to a model: nothing can be stopped there, and every text changed. */
export const onModelText: Answers = {
  deny: ({ reason }) => ({ text: notice(reason) }),
  modify: ({ merged }) => ({ text: merged?.kind === 'userMessage' ? merged.payload.text : '' }),
}

/** message_sending. Cancelling would have the host send a fallback of its own; the person is told instead. */
export const onSending: Answers = {
  deny: ({ reason }) => ({ content: notice(reason) }),
  modify: ({ merged }) => ({ content: messageText(merged) }),
}

/** reply_payload_sending: of a refused payload nothing is left but the notice, pictures and buttons neither. */
export const onPayload: Answers = {
  deny: ({ reason }) => ({ payload: { text: notice(reason), isError: true } }),
  modify: ({ event, merged }) => {
    const payload = objectAt(event, 'payload')
    const rest = merged?.kind === 'agentMessage' ? merged.payload.attachments?.[0] : undefined
    return { payload: { ...payload, ...(isJsonObject(rest) ? rest : {}), text: messageText(merged) } }
  },
}

/** before_agent_finalize knows no rewriting: the model is sent back to say it otherwise. */
const REVISIONS = 3
const revise = ({ reason }: Answered): JsonObject => ({
  action: 'revise',
  reason: 'sallyport',
  retry: {
    instruction: `Your answer was withheld. ${reason} Answer again without it.`,
    idempotencyKey: 'sallyport',
    maxAttempts: REVISIONS,
  },
})
export const onFinalize: Answers = { deny: revise, modify: revise }

/** before_tool_call. */
export const onToolCall: Answers = {
  deny: ({ reason }) => ({ block: true, blockReason: reason }),
  modify: ({ merged }) => ({ params: inputOf(merged) }),
  ask: ({ event, reason, merged }) => ({
    requireApproval: {
      title: cut(
        `Sallyport: ${typeof event['toolName'] === 'string' ? event['toolName'] : 'tool call'}`,
        LONGEST_TITLE,
      ),
      description: cut(reason, LONGEST_DESCRIPTION),
      severity: 'warning',
      timeoutMs: APPROVAL_MS,
      // By itself the host says "Approval timed out", and neither model nor person learns what still helps.
      timeoutReason: cut(`${reason} Nobody answered in time, so it was not run.`, LONGEST_TIMEOUT_REASON),
      allowedDecisions: ['allow-once', 'deny'],
    },
    ...(merged === undefined ? {} : { params: inputOf(merged) }),
  }),
}

/** before_install: nothing is put in; the host tells whoever asked for it. */
export const onInstall: Answers = { deny: ({ reason }) => ({ block: true, blockReason: reason }) }

/** The result middleware: `details` never reach the model, but the transcript and other plugins. */
export const onToolResult: Answers = {
  deny: ({ reason }) => ({ result: withheldResult(reason) }),
  modify: ({ merged }) => ({ result: merged?.kind === 'toolCallResult' ? merged.payload.output : withheldResult('') }),
}

/** tool_result_persist and before_message_write: a message keeps its place and its shape, its texts change. */
export const onWrite: Answers = {
  deny: ({ event, reason }) => ({ message: rewritten(objectAt(event, 'message'), () => notice(reason), null) }),
  modify: ({ event, merged }) => {
    const message = objectAt(event, 'message')
    switch (merged?.kind) {
      case 'agentMessage': {
        const { text, attachments } = merged.payload
        const partAt = (index: number): string => {
          const part = attachments?.[index]
          return typeof part === 'string' ? part : text
        }
        return { message: rewritten(message, partAt) }
      }
      case 'userMessage': {
        // The decoder joins the parts, so that what became of each cannot be told: the first takes the whole.
        const { text } = merged.payload
        return { message: rewritten(message, (index) => (index === 0 ? text : '')) }
      }
      case 'toolCallResult': {
        const { output } = merged.payload
        return { message: { ...message, ...(isJsonObject(output) ? output : {}) } }
      }
      default:
        return { message: rewritten(message, () => notice('withheld'), null) }
    }
  },
}

const inputOf = (step: Step | undefined): JsonObject => (step?.kind === 'toolCallRequest' ? step.payload.input : {})

const withheldResult = (reason: string): JsonObject => ({
  content: [{ type: 'text', text: notice(reason) }],
  details: { status: 'withheld', by: 'sallyport' },
})

/** A message with every text of it replaced; `details`, where given, in place of its own. */
const rewritten = (message: JsonObject, textAt: (index: number) => string, details?: Json): JsonObject => {
  const { content = null } = message
  let index = 0
  const replaced: Json =
    typeof content === 'string'
      ? textAt(0)
      : isArray(content)
        ? content.map((part) =>
            isJsonObject(part) && typeof part['text'] === 'string' ? { ...part, text: textAt(index++) } : part,
          )
        : content === null
          ? null
          : textAt(0)
  return {
    ...message,
    content: replaced,
    ...(details === undefined || !Object.hasOwn(message, 'details') ? {} : { details }),
  }
}
