import * as z from 'zod/mini'
import { SIDE_EFFECT_CLASSES } from '../protocol/evidence.ts'
import { guardianElsewhere } from './guardian-schema.ts'
import { positive, told } from './described-key.ts'

const names = (description: string) => told(description, z._default(z.array(z.string().check(z.minLength(1))), []))

const lists = (description: string) =>
  told(
    description,
    z.prefault(
      z.strictObject({
        tools: names('Tool names; `*` stands for any run of characters.'),
        paths: names('Paths; `~` is the home folder, `**` any folders, `*` any run of characters but `/`.'),
        hosts: names('Host names; a leading `*.` takes in every subdomain.'),
        commands: names('Program names, as typed first on a command line.'),
      }),
      {},
    ),
  )

const threshold = (whose: string) =>
  told(
    `Probability from which on a text ${whose} counts as an injection; \`sallyport calibrate\` finds one.`,
    z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  )

const PORT_MAX = 65_535
const MIB = 1024 * 1024

/** Every key of `sallyport.yaml`; docs/config.md and docs/sallyport.schema.json are generated from it. */
export const configSchema = z.strictObject({
  mode: told(
    '`enforce` carries verdicts out; `observe` computes and records the same verdicts and lets everything through.',
    z._default(z.enum(['enforce', 'observe']), 'enforce'),
  ),
  packs: told(
    'Rule packs that ship with Sallyport.',
    z._default(z.array(z.enum(['baseline', 'strict', 'read-only', 'cloud'])), ['baseline']),
  ),
  rules: told(
    'Switches a rule by its id: `off`, `observe` (recorded, not enforced), `ask` (the person) or `deny`.',
    z._default(z.record(z.string(), z.enum(['off', 'observe', 'ask', 'deny'])), {}),
  ),
  tools: told(
    'What a tool does, by its name or the start of one (`mcp__x__*`): the class holds whatever its server says of it.',
    z._default(z.record(z.string(), z.strictObject({ sideEffect: z.enum(SIDE_EFFECT_CLASSES) })), {}),
  ),
  guardians: told(
    'Guardians elsewhere that are asked too, in the order their changes merge in; `policy` stands for the rules here, which come first when they are not named.',
    z._default(z.array(z.union([z.literal('policy'), guardianElsewhere])), []),
  ),
  deny: lists('Denied, whatever the rules say.'),
  allow: lists('Lifts what a rule of a pack denies, except rules that are final.'),
  topics: z.prefault(
    z.strictObject({
      deny: told(
        'Topics that may not be spoken of: `words` are found whole and in either case, `patterns` are regular expressions in RE2 syntax.',
        z._default(
          z.array(
            z.strictObject({
              name: z.string().check(z.minLength(1)),
              words: z._default(z.array(z.string().check(z.minLength(1))), []),
              patterns: z._default(z.array(z.string().check(z.minLength(1))), []),
            }),
          ),
          [],
        ),
      ),
    }),
    {},
  ),
  thresholds: z.prefault(
    z.strictObject({
      injection: z.prefault(
        z.strictObject({
          user: threshold('of a person'),
          tool: threshold('that a tool brought'),
          memory: threshold('from a memory'),
          knowledge: threshold('from a knowledge source'),
          agent: threshold('of an agent'),
        }),
        {},
      ),
    }),
    {},
  ),
  server: z.prefault(
    z.strictObject({
      host: told('Address to listen on.', z._default(z.string(), '127.0.0.1')),
      port: told('TCP port; 0 takes any free one.', z._default(z.int().check(z.minimum(0), z.maximum(PORT_MAX)), 4775)),
      names: told(
        'Host names by which others reach the server, beside its address and `localhost`; requests to any other name are refused.',
        z._default(z.array(z.string().check(z.regex(/^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/))), []),
      ),
      bindSessions: told(
        'Whether events of a session have to come from the client that began it: `where-possible`, where the system shows which process sends them; `required`, which refuses every event where it does not; `off`.',
        z._default(z.enum(['where-possible', 'required', 'off']), 'where-possible'),
      ),
      maxBodyBytes: positive('Bytes of a request body; a larger one is refused.', 32 * MIB),
      maxDepth: positive('Levels a request body may nest; a deeper one is refused.', 200),
    }),
    {},
  ),
  acs: z.prefault(
    z.strictObject({
      timeoutMs: positive(
        'Milliseconds that callers of the Agent Control Standard are told to wait for a decision.',
        10_000,
      ),
      skewWindowMs: positive('Milliseconds by which their clocks may differ from that of the guard.', 300_000),
      onDecisionFailure: told(
        'What they are told to do with a step on which no decision arrives: `deny`, or `proceed`, which is no guard where the guard is away.',
        z._default(z.enum(['deny', 'proceed']), 'deny'),
      ),
    }),
    {},
  ),
  budget: z.prefault(
    z.strictObject({
      commandBytes: positive(
        'Bytes of code in one step that are analysed; a person is asked about a larger call.',
        MIB,
      ),
      textBytes: positive('Bytes of text in one step that are scanned; a larger step is denied.', 8 * MIB),
      nodes: positive('Syntax nodes in one step.', 20_000),
      depth: positive('Commands within commands.', 64),
      computingMs: positive('Milliseconds of computing on one step that is large or costly; then it is denied.', 1_200),
    }),
    {},
  ),
  approvals: z.prefault(
    z.strictObject({
      holdMs: told(
        'Milliseconds a call is held for a person to answer, where the host waits so long and cannot ask by itself; 0 denies it at once, with the id to approve.',
        z._default(z.int().check(z.nonnegative()), 0),
      ),
      expireMinutes: positive(
        'Minutes in which a pending approval can be answered, and in which a grant for one call has to be used.',
        60,
      ),
      maxGrantMinutes: positive('Minutes that a grant for a time (`approve --for`) lasts at most.', 480),
      overrideMinutes: positive('Minutes in which an override of a denied call has to be used.', 10),
      maxDisableMinutes: positive('Minutes that a rule can be disabled for at most.', 1_440),
      maxPending: positive('Approvals that one session waits for at most; further calls are denied without one.', 50),
    }),
    {},
  ),
  trace: z.prefault(
    z.strictObject({
      durability: told(
        '`process`: what was answered is in the trace though the guard be killed. `power`: though the power fail, at the price of a flush of the disk for each answer.',
        z._default(z.enum(['process', 'power']), 'process'),
      ),
      retentionDays: told(
        'Sessions whose last event is older are removed when the guard starts; 0 keeps all.',
        z._default(z.int().check(z.nonnegative()), 90),
      ),
      sealSeconds: told(
        'Seconds from one seal of the trace to the next: what is sealed cannot be cut or rewritten unnoticed; 0 seals nothing.',
        z._default(z.int().check(z.nonnegative()), 10),
      ),
      checkpoints: z.prefault(
        z.strictObject({
          everyMinutes: positive('Minutes from one published checkpoint to the next.', 60),
          origin: told(
            'Name of the log in its checkpoints, such as `example.com/guard-7`; without it one made from the key.',
            z.optional(z.string().check(z.regex(/^[^\s+]{1,200}$/))),
          ),
          file: told('File that each checkpoint is appended to.', z.optional(z.string().check(z.minLength(1)))),
          command: told(
            'Program with its arguments that gets each checkpoint on standard input.',
            z._default(z.array(z.string().check(z.minLength(1))), []),
          ),
          url: told('Address that each checkpoint is sent to by POST.', z.optional(z.url({ protocol: /^https?$/ }))),
        }),
        {},
      ),
    }),
    {},
  ),
})

/** A whole configuration: what the layers say, with defaults for the rest. */
export type Config = z.infer<typeof configSchema>

/** The schema of `sallyport.yaml` as JSON Schema (draft 2020-12), for editors. */
export const configJsonSchema = (): unknown => z.toJSONSchema(configSchema, { io: 'input' })
