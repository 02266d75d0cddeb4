import * as z from 'zod/mini'

const names = () => z._default(z.array(z.string().check(z.minLength(1))), [])

const lists = () =>
  z.prefault(
    z.strictObject({
      /** Tool names; `*` stands for any run of characters. */
      tools: names(),
      /** Paths; `~` is the home folder, `**` any folders, `*` any run of characters but `/`. */
      paths: names(),
      /** Host names; a leading `*.` takes in every subdomain. */
      hosts: names(),
      /** Program names as typed first on a command line. */
      commands: names(),
    }),
    {},
  )

const positive = (fallback: number) => z._default(z.int().check(z.positive()), fallback)

const PORT_MAX = 65_535

/**
 * Every key of `sallyport.yaml`. docs/config.md is held against it by a test, and `sallyport config schema` prints it as
 * JSON Schema.
 */
export const configSchema = z.strictObject({
  mode: z._default(z.enum(['enforce', 'observe']), 'enforce'),
  packs: z._default(z.array(z.enum(['baseline', 'strict', 'read-only'])), ['baseline']),
  rules: z._default(z.record(z.string(), z.enum(['off', 'observe', 'ask', 'deny'])), {}),
  deny: lists(),
  allow: lists(),
  server: z.prefault(
    z.strictObject({
      host: z._default(z.string(), '127.0.0.1'),
      port: z._default(z.int().check(z.minimum(0), z.maximum(PORT_MAX)), 4775),
      maxBodyBytes: positive(32 * 1024 * 1024),
      maxDepth: positive(200),
    }),
    {},
  ),
  budget: z.prefault(
    z.strictObject({
      /** Bytes of one command, and of all text of one step. */
      commandBytes: positive(256 * 1024),
      textBytes: positive(8 * 1024 * 1024),
      /** Nodes of syntax trees in one step. */
      nodes: positive(50_000),
      /** Commands within commands. */
      depth: positive(24),
    }),
    {},
  ),
  trace: z.prefault(
    z.strictObject({
      /** Sessions whose last event is older are removed at start; 0 keeps all. */
      retentionDays: z._default(z.int().check(z.nonnegative()), 90),
    }),
    {},
  ),
})

/** A whole configuration: what the layers say, with defaults for the rest. */
export type Config = z.infer<typeof configSchema>
