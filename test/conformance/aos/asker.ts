import { afterAll, beforeAll } from 'vitest'
import type { Outcome } from '../../../src/core/guard.ts'
import { startAskedGuard } from './guard.ts'
import type { AskedGuard } from './guard.ts'

// What came back is looked into freely: every look is an assertion.
// oxlint-disable-next-line typescript/no-explicit-any
export type Reply = any

/** A message that the guard sent, with what it was the answer to. */
export interface Emitted {
  readonly query: string
  readonly request: unknown
  readonly reply: unknown
}

/** A guard to ask, for the tests of one file. */
export interface Asker {
  readonly ask: (body: unknown, query?: string, headers?: Readonly<Record<string, string>>) => Promise<Reply>
  /** The same, with the step that was decided on. */
  readonly decide: (
    body: unknown,
    query?: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Outcome & { readonly reply: Reply }>
  readonly emitted: readonly Emitted[]
  readonly guard: () => AskedGuard
}

/** Masks e-mail addresses and forbids card numbers at every step, so that each method can be changed and refused. */
const POLICY = `
@id("test-mask")
@reason("Addresses are left out.")
@mask("pii:email")
permit (principal, action, resource);

@id("test-forbid")
@reason("Card numbers do not travel. Leave the number out.")
forbid (principal, action, resource) when { context.findings.contains("pii:card") };
`

/** Starts a guard before the tests of a file and ends it behind them. */
export const openAsker = (): Asker => {
  let guard: AskedGuard | undefined
  const emitted: Emitted[] = []
  const running = (): AskedGuard => {
    if (guard === undefined) throw new Error('The guard has not started yet.')
    return guard
  }
  beforeAll(async () => {
    guard = await startAskedGuard({}, '{}\n', POLICY)
  }, 60_000)
  afterAll(async () => guard?.stop())
  const ask: Asker['ask'] = async (body, query = '', headers = {}) => {
    const reply = await running().ask(body, query, headers)
    emitted.push({ query, request: body, reply })
    return reply as Reply
  }
  return Object.freeze<Asker>({
    ask,
    emitted,
    guard: running,
    async decide(body, query, headers) {
      const before = running().decided.length
      const reply = await ask(body, query, headers)
      const outcome = running().decided[before]
      if (outcome === undefined) throw new Error(`Nothing was decided: ${JSON.stringify(reply)}`)
      return { ...outcome, reply }
    },
  })
}
