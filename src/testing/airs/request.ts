import { Buffer } from 'node:buffer'
import * as z from 'zod/mini'

/**
 * Requests of the Prisma AIRS scan API as in its documentation and its SDK (0.34.0), and nothing else: an undocumented
 * member is a fault of the client.
 */
const MIB = 1024 * 1024
const bytesUpTo = (limit: number) =>
  z.string().check(
    z.minLength(1, 'is empty'),
    z.refine((text) => Buffer.byteLength(text) <= limit, `is longer than ${limit} bytes`),
    z.refine((text) => text.isWellFormed(), 'is not well-formed Unicode'),
  )
const id = z.string().check(z.minLength(1), z.maxLength(100))
const word = z.string().check(z.minLength(1))

const profile = z
  .strictObject({
    profile_name: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
    profile_id: z.optional(z.uuid()),
  })
  .check(z.refine((one) => one.profile_id !== undefined || one.profile_name !== undefined, 'names no profile'))

const metadata = z.strictObject({
  app_name: z.optional(word),
  app_user: z.optional(word),
  ai_model: z.optional(word),
  user_ip: z.optional(word),
  agent_meta: z.optional(
    z.strictObject({ agent_id: z.optional(word), agent_version: z.optional(word), agent_arn: z.optional(word) }),
  ),
})

const toolEvent = z
  .strictObject({
    metadata: z.strictObject({
      ecosystem: word,
      method: word,
      server_name: word,
      tool_invoked: z.optional(word),
    }),
    input: z.optional(bytesUpTo(2 * MIB)),
    output: z.optional(bytesUpTo(2 * MIB)),
  })
  .check(z.refine(({ input, output }) => input !== undefined || output !== undefined, 'has no input and no output'))

const SUBJECTS = ['prompt', 'response', 'code_prompt', 'code_response', 'tool_event'] as const

const content = z
  .strictObject({
    prompt: z.optional(bytesUpTo(2 * MIB)),
    response: z.optional(bytesUpTo(2 * MIB)),
    code_prompt: z.optional(bytesUpTo(2 * MIB)),
    code_response: z.optional(bytesUpTo(2 * MIB)),
    context: z.optional(bytesUpTo(100 * MIB)),
    tool_event: z.optional(toolEvent),
  })
  .check(z.refine((one) => SUBJECTS.some((member) => one[member] !== undefined), `has none of ${SUBJECTS.join(', ')}`))

/** Body of `POST /v1/scan/sync/request`. */
export const scanRequest = z.strictObject({
  tr_id: z.optional(id),
  session_id: z.optional(id),
  ai_profile: profile,
  metadata: z.optional(metadata),
  contents: z.array(content).check(z.minLength(1)),
})

/** A scan as requested. */
export type AirsScanRequest = z.infer<typeof scanRequest>

/** One content of a scan. */
export type AirsContent = AirsScanRequest['contents'][number]

/** Body of `POST /v1/scan/async/request`. */
export const batchRequest = z.array(z.strictObject({ req_id: z.int(), scan_req: scanRequest })).check(
  z.minLength(1),
  z.maxLength(20),
  z.refine((all) => new Set(all.map(({ req_id }) => req_id)).size === all.length, 'repeats a req_id'),
)

/** Ids of `GET /v1/scan/results` and `GET /v1/scan/reports`: at most five, comma between them. */
export const scanIds = z.array(z.uuid()).check(z.minLength(1), z.maxLength(5))
export const reportIds = z.array(z.string().check(z.regex(/^R[0-9a-f-]{36}$/))).check(z.minLength(1), z.maxLength(5))
