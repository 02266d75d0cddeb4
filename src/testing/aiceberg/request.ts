import * as z from 'zod/mini'

/**
 * Requests of the Aiceberg event API as documented (docs.aiceberg.ai, "How do I use the API", 2026), and nothing else:
 * an undocumented member is a fault of the client.
 */
const word = z.string().check(z.minLength(1), z.maxLength(200))
const text = z.string().check(
  z.minLength(1, 'is empty'),
  z.refine((value) => value.isWellFormed(), 'is not well-formed Unicode'),
)

const toolCall = z.strictObject({
  tool_name: word,
  tool_args: z.record(z.string(), z.unknown()),
  tool_call_id: word,
})

const isToolCall = (input: string): boolean => {
  try {
    return toolCall.safeParse(JSON.parse(input)).success
  } catch {
    return false
  }
}

/** Body of `POST /eap/v1/event`, for creating and for updating. */
export const eventRequest = z
  .strictObject({
    use_case_id: z.optional(word),
    profile_id: z.optional(word),
    event_type: z.optional(z.enum(['user_llm', 'user_agt', 'agt_llm', 'agt_tool', 'agt_mem', 'agt_agt'])),
    input: z.optional(text),
    output: z.optional(text),
    instructions: z.optional(text),
    log_group: z.optional(z.enum(['monitoring', 'sandbox'])),
    event_id: z.optional(word),
    session_id: z.optional(word),
    session_start: z.optional(z.boolean()),
    session_end: z.optional(z.boolean()),
    session_status: z.optional(z.literal('finished')),
    forward_to_llm: z.optional(z.boolean()),
    background: z.optional(z.boolean()),
    metadata: z.optional(z.looseObject({ user_id: z.optional(word) })),
    initiator: z.optional(z.looseObject({ type: word })),
  })
  .check(
    z.refine((one) => one.use_case_id === undefined || one.profile_id === undefined, 'has use_case_id and profile_id'),
    z.refine(
      (one) => one.use_case_id !== undefined || one.profile_id !== undefined,
      'has no use_case_id and no profile_id',
    ),
    z.refine(
      (one) => one.use_case_id === undefined || one.event_type !== undefined,
      'has use_case_id and no event_type',
    ),
    z.refine((one) => one.input !== undefined || one.event_id !== undefined, 'has no input and no event_id'),
    z.refine((one) => one.input !== undefined || one.output !== undefined, 'has no input and no output'),
    z.refine(
      (one) => one.event_type !== 'agt_tool' || one.input === undefined || isToolCall(one.input),
      'is an agt_tool whose input is not the JSON of tool_name, tool_args and tool_call_id',
    ),
  )

/** A reported event. */
export type AicebergRequest = z.infer<typeof eventRequest>
