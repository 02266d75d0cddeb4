import * as z from 'zod/mini'
import { STEP_KINDS } from '../protocol/step.ts'
import { positive, described } from './described-key.ts'

const KINDS = z.array(z.enum(STEP_KINDS))

/** Keys that every configured guardian has. */
const LOCAL = {
  id: described('Name of the guardian in verdicts and in the trace.', z.string().check(z.regex(/^[\w.-]{1,64}$/))),
  kinds: described('Step kinds that are sent to it; by default all that its protocol has.', z._default(KINDS, [])),
  allowOnFailure: described(
    'Step kinds that are allowed, and recorded as unguarded, when it gives no verdict. All others are denied.',
    z._default(KINDS, []),
  ),
}

/** Keys that every guardian elsewhere has. */
const COMMON = {
  ...LOCAL,
  breakAfter: positive('Consecutive failures after which it is not called for a while.', 5),
  breakMs: positive('Milliseconds for which it is then not called; its steps count as failed.', 10_000),
}

const remoteGuardian = z.strictObject({
  ...COMMON,
  scanner: z.optional(z.literal('none')),
  url: described('URL of the guardian: `https:`, or `http:` on this machine.', z.optional(z.string())),
  socket: described(
    'Path of the unix socket it listens on; `url` then gives only the path of the request.',
    z.optional(z.string()),
  ),
  protocol: described('Protocol of the guardian.', z._default(z.enum(['aos', 'acs']), 'aos')),
  dialect: described(
    'Dialect of AOS: `default`; `published` follows the published schema to the letter; `joch` is for guardians that answer with the changed part only.',
    z._default(z.enum(['default', 'published', 'joch']), 'default'),
  ),
  tokenFile: described('File with the bearer token that it requires.', z.optional(z.string())),
  tokenEnv: described('Environment variable with that token.', z.optional(z.string())),
  secretFile: described('For ACS: file with the secret that both sides sign with.', z.optional(z.string())),
  caFile: described('CA that must have issued its certificate, PEM.', z.optional(z.string())),
  certFile: described('Client certificate, PEM, if it requires one.', z.optional(z.string())),
  keyFile: described('Key of the client certificate, PEM.', z.optional(z.string())),
  deadlineMs: positive('Deadline for a verdict in milliseconds, retries included.', 2_000),
  retries: described('Retries when it cannot be reached.', z._default(z.int().check(z.nonnegative(), z.maximum(5)), 1)),
})

/** A guardian elsewhere, as configured. */
export type RemoteGuardianConfig = z.infer<typeof remoteGuardian>

/** Keys that every scanner elsewhere has. */
const SCANNER = {
  ...COMMON,
  deadlineMs: positive(
    'Deadline for a step in milliseconds, including retries and the check of an edited step.',
    4_000,
  ),
  retries: described(
    'Retries when it is unreachable or overloaded, within the deadline.',
    z._default(z.int().check(z.nonnegative(), z.maximum(5)), 2),
  ),
  mode: described(
    '`enforce`: a step waits for its scan. `audit`: no step waits, nothing is stopped, and findings are added to the trace later.',
    z._default(z.enum(['enforce', 'audit']), 'enforce'),
  ),
  connections: positive('Concurrent requests; further ones are queued.', 16),
  cacheSeconds: described(
    'Seconds for which the result of a text is reused; 0 scans every time.',
    z._default(z.int().check(z.nonnegative()), 60),
  ),
  cacheEntries: positive('Maximum number of cached results.', 5_000),
  redact: described(
    'Findings that are masked before the text leaves this machine: categories (`secret`, `pii`) or types (`card`). `[]` masks nothing.',
    z._default(z.array(z.string().check(z.minLength(1))), ['secret']),
  ),
}

const prismaAirs = z.strictObject({
  ...SCANNER,
  scanner: described('Marks this guardian as Prisma AIRS.', z.literal('prisma-airs')),
  region: described('Region of the service.', z._default(z.enum(['us', 'eu', 'india', 'singapore']), 'us')),
  url: described('URL of the service, instead of the one of a region.', z.optional(z.string())),
  proxy: described(
    'Uses the proxy in `HTTPS_PROXY`, unless `NO_PROXY` excludes the service.',
    z._default(z.boolean(), false),
  ),
  profile: described('Name of the security profile.', z.optional(z.string().check(z.minLength(1), z.maxLength(100)))),
  profileId: described('ID of the security profile, instead of its name.', z.optional(z.uuid())),
  apiKeyFile: described('File with the API key.', z.optional(z.string())),
  apiKeyEnv: described('Environment variable with the API key.', z._default(z.string(), 'PANW_AI_SEC_API_KEY')),
  tokenFile: described('File with an OAuth token, if there is no API key.', z.optional(z.string())),
  tokenEnv: described('Environment variable with an OAuth token.', z._default(z.string(), 'PANW_AI_SEC_API_TOKEN')),
  sign: described('Signs requests with the API key (`x-payload-hash`).', z._default(z.boolean(), true)),
  grounding: described(
    'Sends the prompt and the retrieved context along with each answer, so that the service can detect ungrounded answers (`ungrounded`).',
    z._default(z.boolean(), false),
  ),
  appName: described(
    'Name of this guard in the logs of the service.',
    z._default(z.string().check(z.minLength(1)), 'sallyport'),
  ),
  alert: described('Decision for its action `alert`.', z._default(z.enum(['deny', 'ask', 'allow']), 'deny')),
  dlp: described(
    'When sensitive data is its only finding: `mask` masks it where the service reports its place, `deny` refuses the step.',
    z._default(z.enum(['mask', 'deny']), 'mask'),
  ),
})

/** Prisma AIRS, as configured. */
export type PrismaAirsConfig = z.infer<typeof prismaAirs>

const aiceberg = z.strictObject({
  ...COMMON,
  scanner: z.literal('aiceberg'),
  url: described('URL of the service, without the path of events.', z.optional(z.string())),
  useCaseId: described('ID of the use case that evaluates the events.', z.optional(z.string().check(z.minLength(1)))),
  profileId: described('ID of the profile, instead of the use case.', z.optional(z.string().check(z.minLength(1)))),
  apiKeyFile: described('File with the API key.', z.optional(z.string())),
  apiKeyEnv: described('Environment variable with the API key.', z._default(z.string(), 'AICEBERG_API_KEY')),
  userId: described(
    'User name to send when the host gives none.',
    z._default(z.string().check(z.minLength(1)), 'sallyport'),
  ),
  mode: described(
    '`enforce`: every result except a known good one denies. `observe`: the same is sent and recorded, and nothing is stopped.',
    z._default(z.enum(['enforce', 'observe']), 'enforce'),
  ),
  deadlineMs: positive(
    'Deadline for a step in milliseconds, including retries and the check of an edited step.',
    4_000,
  ),
  retries: described(
    'Retries when it is unreachable or overloaded, within the deadline.',
    z._default(z.int().check(z.nonnegative(), z.maximum(5)), 1),
  ),
  connections: positive('Concurrent requests; further ones are queued.', 16),
  longestText: positive('Maximum characters of one text; a step with a longer one counts as failed.', 1_048_576),
  redact: described(
    'Findings that are masked before the text leaves this machine: categories (`secret`, `pii`) or types (`card`). `[]` masks nothing.',
    z._default(z.array(z.string().check(z.minLength(1))), ['secret']),
  ),
  dryRun: described('Sends nothing and treats every result as good.', z._default(z.boolean(), false)),
  printPayloads: described('Logs what is sent, with secrets and personal data masked.', z._default(z.boolean(), false)),
  debugTrace: described(
    'File to which every request and answer is appended, masked, one per line.',
    z.optional(z.string()),
  ),
})

/** Aiceberg, as configured. */
export type AicebergConfig = z.infer<typeof aiceberg>

const judge = z.strictObject({
  ...SCANNER,
  scanner: described('Marks this guardian as a judge: a language model.', z.literal('judge')),
  protocol: described(
    'API of the model: `openai` (Chat Completions, also of compatible servers), `anthropic` (Messages) or `ollama`.',
    z.enum(['openai', 'anthropic', 'ollama']),
  ),
  url: described('URL of the API, instead of the one of its vendor.', z.optional(z.string())),
  model: described('Name of the model.', z.string().check(z.minLength(1), z.maxLength(200))),
  apiKeyFile: described('File with the API key.', z.optional(z.string())),
  apiKeyEnv: described('Environment variable with the API key.', z._default(z.string(), 'SALLYPORT_JUDGE_KEY')),
  mode: described(
    '`enforce`: its objections count. `observe`: it is asked and recorded, and stops nothing.',
    z._default(z.enum(['enforce', 'observe']), 'enforce'),
  ),
  deadlineMs: positive('Deadline for a step in milliseconds, including retries.', 10_000),
  cacheSeconds: described('Seconds for which an answer is reused.', z._default(z.int().check(z.nonnegative()), 600)),
  notAsked: described('Decision if the person did not ask for the call.', z._default(z.enum(['deny', 'ask']), 'deny')),
  unsure: described('Decision if the model is unsure.', z._default(z.enum(['deny', 'ask', 'allow']), 'ask')),
  answerTokens: positive('Maximum tokens of an answer, including those of a reasoning model for thinking.', 1_024),
  characters: positive('Maximum characters of a question; a call with a longer one counts as failed.', 24_000),
  tokensPerHour: positive('Maximum tokens per hour; further calls count as failed.', 500_000),
})

/** A judge, as configured. */
export type JudgeConfig = z.infer<typeof judge>

const localModel = z.strictObject({
  ...LOCAL,
  scanner: described('Marks this guardian as a text model on this machine.', z.literal('local-model')),
  model: described(
    'Folder of the model, absolute, or its name on the hub (`owner/name`) where the local cache of the hub has it. Nothing is downloaded.',
    z.string().check(z.minLength(1)),
  ),
  file: described('ONNX file in the folder; default: `model.onnx`, also in `onnx/`.', z.optional(z.string())),
  runtime: described(
    'Package that runs it; default: the first that is installed.',
    z.optional(z.enum(['onnxruntime-node', 'onnxruntime-web'])),
  ),
  labels: described(
    'Labels of the model that mean an attack; default: the usual names (`INJECTION`, `MALICIOUS`, `LABEL_1`, …).',
    z._default(z.array(z.string().check(z.minLength(1))), []),
  ),
  threshold: described(
    'Probability of these labels from which a text counts as an attack.',
    z._default(z.number().check(z.positive(), z.maximum(1)), 0.9),
  ),
  found: described('Decision on an act that such a text asks for.', z._default(z.enum(['deny', 'ask']), 'deny')),
  mode: described(
    '`enforce`: its objections count. `observe`: it only records what it would decide.',
    z._default(z.enum(['enforce', 'observe']), 'enforce'),
  ),
  deadlineMs: positive('Deadline for a step in milliseconds.', 5_000),
  windowTokens: positive('Maximum tokens of the input of the model; longer texts are read in windows.', 512),
  threads: positive('Threads of `onnxruntime-node`.', 1),
})

/** A text model on this machine, as configured. */
export type LocalModelConfig = z.infer<typeof localModel>

/** Every kind of configured guardian, discriminated by `scanner`. Add yours here. */
export const guardianElsewhere = z.discriminatedUnion('scanner', [
  remoteGuardian,
  prismaAirs,
  aiceberg,
  judge,
  localModel,
])

/** A configured guardian of any kind. */
export type GuardianConfig = z.infer<typeof guardianElsewhere>

/** The same as a person writes it: what is left out has its default. */
export type GuardianInput = z.input<typeof guardianElsewhere>
