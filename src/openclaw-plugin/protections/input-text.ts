import { hash } from 'node:crypto'
import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import type { TextTransforms } from '../host/host-api.ts'
import { isDecided } from '../state/decision-cache.ts'
import type { ProtectionContext } from '../state/protection-context.ts'

/** Session of a text for a model, because the host does not name it. */
const NO_SESSION = 'openclaw:model-input'
/** Replaces a text without a verdict. */
const UNDECIDED = '[withheld by Sallyport: there is no verdict on this text]'
/** Most cached verdicts: every request to a model contains the whole conversation again. */
const KEPT = 4_096
/** Milliseconds after which a text is evaluated again, since policies may change. */
const KEPT_MS = 60_000

/** A gate has carried out a rule's refusal; one of the guard itself means that the text was not evaluated. */
const lacksVerdict = (answer: HookAnswer): boolean =>
  !isDecided(answer) || answer.verdict.reasonCodes.some((code) => code.startsWith('SP_'))

const textIn = ({ reply }: HookAnswer): string => (reply as { readonly text: string }).text

const whole = /^[\s\S]+$/

/**
 * Masks the input of a model at the seam that really changes it: for every source (a person, another session, a
 * subagent's task, a job, a quotation, the group's history, memory, a summary), the texts here are the ones that the
 * model gets. Each text is evaluated by itself; the gates before refuse whole texts. Masking is recorded in a session
 * of its own, because the host does not name the session of a request.
 */
export const inputText = (
  { decisions, seams }: Pick<ProtectionContext, 'decisions' | 'seams'>,
  now: () => number = Date.now,
): TextTransforms => {
  /** The replacement of each text; `undefined`: none. */
  const looked = createBoundedMap<string, string | undefined>({ most: KEPT, age: { ms: KEPT_MS, now } })
  const look = (text: string): string | undefined => {
    const call = { hook: 'model_input', event: { text }, context: { sessionKey: NO_SESSION } } as const
    const answer = decisions.assess(call)
    const { decision } = answer.verdict
    if (decision !== 'allow' && lacksVerdict(answer)) return UNDECIDED
    if (decision !== 'modify') return undefined
    // Masking here is recorded in the trace, even when an earlier hook has seen the text.
    const kept = decisions.askNow(call)
    return textIn(kept.verdict.decision === 'modify' ? kept : answer)
  }
  const to = (text: string): string => {
    seams.pass('input-text')
    if (text.trim() === '') return text
    const key = hash('sha256', text, 'base64')
    if (looked.has(key)) return looked.get(key) ?? text
    const instead = look(text)
    if (instead !== UNDECIDED) looked.set(key, instead)
    return instead ?? text
  }
  return { input: [{ from: whole, to }] }
}
