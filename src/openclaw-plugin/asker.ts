import { describeError } from '../errors.ts'
import type { HookAnswer, HookCall } from '../hosts/openclaw/host.ts'
import { refusedHook } from '../hosts/openclaw/host.ts'

/** Where verdicts come from: a guard in this process or a server's. */
export interface VerdictSource {
  /** Rejects when no verdict could be had. */
  ask(call: HookCall, signal: AbortSignal): Promise<HookAnswer>
}

/** What of a guard in this process answers at once; `undefined` while it is not open yet. */
export interface InstantSource {
  askNow(call: HookCall): HookAnswer | undefined
  /** Looks at a text of the model's by itself, outside any session, and keeps no record. */
  screen(text: string): HookAnswer | undefined
}

/** How the protections ask. Nothing of it ever throws or rejects: where no verdict can be had there is a refusal. */
export interface Asker {
  ask(call: HookCall): Promise<HookAnswer>
  askNow(call: HookCall): HookAnswer
  screen(text: string): HookAnswer
}

export interface AskerOptions {
  readonly source: VerdictSource
  readonly instant: InstantSource
  /** Milliseconds for one verdict. */
  readonly deadlineMs: number
  /** Without it a step goes on where no verdict can be had, and the host's log says so. */
  readonly failClosed: boolean
  readonly log: (message: string) => void
}

/** A pass without a verdict, as `fail_closed: false` wants it. */
const unguarded = (reason: string): HookAnswer => ({
  reply: null,
  verdict: { decision: 'allow', reason, reasonCodes: ['SP_UNGUARDED'], findings: [] },
})

const causeOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown').slice(0, 200)

/** Asks with a deadline of its own, inside the host's, and answers with a refusal where there is no verdict. */
export const createAsker = ({ source, instant, deadlineMs, failClosed, log }: AskerOptions): Asker => {
  const without = ({ hook }: Pick<HookCall, 'hook'>, call: HookCall | undefined, why: string): HookAnswer => {
    const reason = describeError('SP_OPENCLAW_UNDECIDED', { hook, why })
    log(reason)
    return failClosed ? refusedHook(hook, call?.event ?? {}, 'SP_OPENCLAW_UNDECIDED', reason) : unguarded(reason)
  }
  return Object.freeze<Asker>({
    async ask(call) {
      const signal = AbortSignal.timeout(deadlineMs)
      const late = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error(`there was none within ${deadlineMs} ms`))
        })
      })
      try {
        return await Promise.race([source.ask(call, signal), late])
      } catch (error) {
        return without(call, call, causeOf(error))
      }
    },
    askNow(call) {
      try {
        return instant.askNow(call) ?? without(call, call, 'the guard is not open yet')
      } catch (error) {
        return without(call, call, causeOf(error))
      }
    },
    screen(text) {
      try {
        return instant.screen(text) ?? without({ hook: 'model_output' }, undefined, 'the guard is not open yet')
      } catch (error) {
        return without({ hook: 'model_output' }, undefined, causeOf(error))
      }
    },
  })
}
