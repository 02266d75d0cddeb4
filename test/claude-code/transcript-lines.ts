/** Lines as Claude Code 2.1.330 writes them into a transcript, of made-up sessions. */

/** Members of every line of a conversation. */
const base = (session: string, uuid: string) => ({
  parentUuid: null,
  isSidechain: false,
  uuid,
  timestamp: '2026-11-21T12:00:00.000Z',
  cwd: '/home/user/app',
  sessionId: session,
  version: '2.1.330',
})

/** What may differ of an answer's line. */
export interface AnswerLine {
  readonly uuid: string
  /** The model's message that it is a block of. */
  readonly message: string
  readonly blocks: readonly unknown[]
  readonly stopReason?: string
  readonly usage?: Readonly<Record<string, unknown>>
  readonly more?: Readonly<Record<string, unknown>>
}

/** A line of a file: JSON, and its end. */
const line = (value: unknown): string => `${JSON.stringify(value)}\n`

export const text = (said: string) => ({ type: 'text', text: said })
export const toolUse = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input })

/** Members of the line of a call that the person refused without a word, or by escape. */
const BARE_NO = { toolDenialBeforeRun: true }

/** Members of the line of a call that the person refused with words. */
export const noWith = (words: string) => ({
  userFeedback: words,
  holdsPersonsWords: true,
  permissionDecision: { decision: 'reject', source: 'user_reject', reasonCode: 'unknown' },
})

/** The lines of one session. */
export const linesOf = (session: string) => ({
  user: (uuid: string, content: unknown, promptId = 'prompt-1'): string =>
    line({ ...base(session, uuid), promptId, type: 'user', message: { role: 'user', content } }),
  result: (uuid: string, callId: string, content: unknown, promptId = 'prompt-1'): string =>
    line({
      ...base(session, uuid),
      promptId,
      type: 'user',
      message: { role: 'user', content: [{ tool_use_id: callId, type: 'tool_result', content, is_error: false }] },
      toolUseResult: { stdout: content },
    }),
  /** The person says no to a call in the terminal, with words or without; or what else kept it from running. */
  refused: (
    uuid: string,
    callId: string,
    how: Readonly<Record<string, unknown>> = BARE_NO,
    promptId = 'prompt-1',
  ): string =>
    line({
      ...base(session, uuid),
      promptId,
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', content: 'The person said no.', is_error: true, tool_use_id: callId }],
      },
      toolUseResult: 'User rejected tool use',
      toolDenialKind: 'user-rejected',
      ...how,
    }),
  answer: ({ uuid, message, blocks, stopReason = 'end_turn', usage, more }: AnswerLine): string =>
    line({
      ...base(session, uuid),
      ...more,
      type: 'assistant',
      message: {
        id: message,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: blocks,
        stop_reason: stopReason,
        usage: usage ?? { input_tokens: 10, output_tokens: 5, service_tier: 'standard' },
        ...(more?.['message'] as object | undefined),
      },
    }),
  /** Lines that are not part of the conversation, some of which look like it. */
  others: (): string =>
    [
      { type: 'queue-operation', operation: 'enqueue', sessionId: session, content: 'user' },
      { ...base(session, 'x'), type: 'attachment', attachment: { type: 'environment' }, renderedRole: 'user' },
      { type: 'api-request-blob', sessionId: session, message: { role: 'user', content: 'no line of its own' } },
      { type: 'last-prompt', lastPrompt: 'user', sessionId: session },
      { type: 'a-type-of-tomorrow', message: { role: 'assistant', content: [text('no')] } },
    ]
      .map(line)
      .join(''),
})
