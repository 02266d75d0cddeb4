import * as z from 'zod/mini'
import { STEP_KINDS } from '../protocol/step.ts'
import { positive, told } from './described-key.ts'

const KINDS = z.array(z.enum(STEP_KINDS))

/** Keys that every guardian elsewhere has. */
const COMMON = {
  id: told('Its name in verdicts and in the trace.', z.string().check(z.regex(/^[\w.-]{1,64}$/))),
  breakAfter: positive('Failures in a row after which it is not asked for a while.', 5),
  breakMs: positive('Milliseconds it is then left alone; its steps are decided as its failure is.', 10_000),
  kinds: told('Kinds of step it is asked about; none named: all that its protocol has.', z._default(KINDS, [])),
  allowOnFailure: told(
    'Kinds of step that go on, recorded as unguarded, when it gives no verdict. All others are denied.',
    z._default(KINDS, []),
  ),
}

const remoteGuardian = z.strictObject({
  ...COMMON,
  scanner: z.optional(z.literal('none')),
  url: told('Where it answers: `https:`, or `http:` on this machine.', z.optional(z.string())),
  socket: told(
    'Path of the unix socket it answers on; `url` then tells the path of the request only.',
    z.optional(z.string()),
  ),
  protocol: told('What it speaks.', z._default(z.enum(['aos', 'acs']), 'aos')),
  dialect: told(
    'Of AOS: `default`; `published` for the published schema to the letter; `joch` for one that answers with a changed part only.',
    z._default(z.enum(['default', 'published', 'joch']), 'default'),
  ),
  tokenFile: told('File with the bearer token it wants.', z.optional(z.string())),
  tokenEnv: told('Environment variable with that token.', z.optional(z.string())),
  secretFile: told('Of ACS: file with the secret that both sides sign with.', z.optional(z.string())),
  caFile: told('Authority that its certificate must be from, PEM.', z.optional(z.string())),
  certFile: told('Our certificate, PEM, where it wants one.', z.optional(z.string())),
  keyFile: told('Key of our certificate, PEM.', z.optional(z.string())),
  deadlineMs: positive('Milliseconds it has for a verdict, retries included.', 2_000),
  retries: told(
    'Further attempts where it could not be reached.',
    z._default(z.int().check(z.nonnegative(), z.maximum(5)), 1),
  ),
})

/** A guardian elsewhere, as configured. */
export type RemoteGuardianConfig = z.infer<typeof remoteGuardian>

/** Keys that every scanner elsewhere has. */
const SCANNER = {
  ...COMMON,
  deadlineMs: positive('Milliseconds it has for a step, retries and the check of a changed step included.', 4_000),
  retries: told(
    'Further attempts where it was not there or overloaded, as far as they fit into the deadline.',
    z._default(z.int().check(z.nonnegative(), z.maximum(5)), 2),
  ),
  mode: told(
    '`enforce`: a step waits for its scan. `audit`: no step waits, nothing is stopped, and what was found is in the trace later.',
    z._default(z.enum(['enforce', 'audit']), 'enforce'),
  ),
  connections: positive('Requests to it at a time; further ones wait their turn.', 16),
  cacheSeconds: told(
    'Seconds in which a text that was scanned is not scanned again; 0 scans every time.',
    z._default(z.int().check(z.nonnegative()), 60),
  ),
  cacheEntries: positive('Results that are remembered at most.', 5_000),
  redact: told(
    'What is masked before it leaves this machine: categories (`secret`, `pii`) or types (`card`) of findings. None named: nothing.',
    z._default(z.array(z.string().check(z.minLength(1))), ['secret']),
  ),
}

const prismaAirs = z.strictObject({
  ...SCANNER,
  scanner: told('Says that it is Prisma AIRS.', z.literal('prisma-airs')),
  region: told('Where the service is asked.', z._default(z.enum(['us', 'eu', 'india', 'singapore']), 'us')),
  url: told('Another address of it, instead of the one of a region.', z.optional(z.string())),
  proxy: told(
    'Goes through the proxy that `HTTPS_PROXY` names, unless `NO_PROXY` excepts the service.',
    z._default(z.boolean(), false),
  ),
  profile: told('Name of the security profile.', z.optional(z.string().check(z.minLength(1), z.maxLength(100)))),
  profileId: told('Id of the security profile, instead of its name.', z.optional(z.uuid())),
  apiKeyFile: told('File with the API key.', z.optional(z.string())),
  apiKeyEnv: told('Environment variable with the API key.', z._default(z.string(), 'PANW_AI_SEC_API_KEY')),
  tokenFile: told('File with an OAuth token, where there is no API key.', z.optional(z.string())),
  tokenEnv: told('Environment variable with such a token.', z._default(z.string(), 'PANW_AI_SEC_API_TOKEN')),
  sign: told('Signs what is sent with the API key (`x-payload-hash`).', z._default(z.boolean(), true)),
  grounding: told(
    'Sends what a person asked and what was looked up for it along with each answer, so that the service can tell what is not grounded in it (`ungrounded`).',
    z._default(z.boolean(), false),
  ),
  appName: told(
    'Names this guard in the logs of the service.',
    z._default(z.string().check(z.minLength(1)), 'sallyport'),
  ),
  alert: told('What its `alert` comes to.', z._default(z.enum(['deny', 'ask', 'allow']), 'deny')),
  dlp: told(
    'Where sensitive data is all that it finds: `mask` takes it out where the service says where it is, `deny` refuses the step.',
    z._default(z.enum(['mask', 'deny']), 'mask'),
  ),
})

/** Prisma AIRS, as configured. */
export type PrismaAirsConfig = z.infer<typeof prismaAirs>

const aiceberg = z.strictObject({
  ...COMMON,
  scanner: z.literal('aiceberg'),
  url: told('Where the service answers, without the path of events.', z.optional(z.string())),
  useCaseId: told('Id of the use case that events are judged by.', z.optional(z.string().check(z.minLength(1)))),
  profileId: told('Id of the profile, instead of the use case.', z.optional(z.string().check(z.minLength(1)))),
  apiKeyFile: told('File with the API key.', z.optional(z.string())),
  apiKeyEnv: told('Environment variable with the API key.', z._default(z.string(), 'AICEBERG_API_KEY')),
  userId: told(
    'Stands for the person in what is sent, where the host names none.',
    z._default(z.string().check(z.minLength(1)), 'sallyport'),
  ),
  mode: told(
    '`enforce`: any result that is not known to be fine denies. `observe`: the same is sent and recorded, and nothing is stopped.',
    z._default(z.enum(['enforce', 'observe']), 'enforce'),
  ),
  deadlineMs: positive('Milliseconds it has for a step, retries and the check of a changed step included.', 4_000),
  retries: told(
    'Further attempts where it was not there or overloaded, as far as they fit into the deadline.',
    z._default(z.int().check(z.nonnegative(), z.maximum(5)), 1),
  ),
  connections: positive('Requests to it at a time; further ones wait their turn.', 16),
  longestText: positive('Characters of one text; a step with a longer one is decided as a failure is.', 1_048_576),
  redact: told(
    'What is masked before it leaves this machine: categories (`secret`, `pii`) or types (`card`) of findings. None named: nothing.',
    z._default(z.array(z.string().check(z.minLength(1))), ['secret']),
  ),
  dryRun: told('Makes up that all is fine, and sends nothing.', z._default(z.boolean(), false)),
  printPayloads: told(
    'Writes what is sent to the log of the guard, with secrets and personal data masked.',
    z._default(z.boolean(), false),
  ),
  debugTrace: told('File that all that is sent and answered is added to, masked, a line each.', z.optional(z.string())),
})

/** Aiceberg, as configured. */
export type AicebergConfig = z.infer<typeof aiceberg>

/** Every kind of guardian elsewhere; a scanner says which by `scanner`. Add yours here. */
export const guardianElsewhere = z.discriminatedUnion('scanner', [remoteGuardian, prismaAirs, aiceberg])

/** A guardian elsewhere, of whatever kind. */
export type GuardianConfig = z.infer<typeof guardianElsewhere>

/** The same as a person writes it: what is left out has its default. */
export type GuardianInput = z.input<typeof guardianElsewhere>
