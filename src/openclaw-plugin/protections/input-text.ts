import { hash } from 'node:crypto'
import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { HookAnswer } from '../../hosts/openclaw/host.ts'
import type { TextTransforms } from '../host/host-api.ts'
import { isDecided } from '../state/decision-cache.ts'
import type { ProtectionContext } from '../state/protection-context.ts'

/** The session of a text that goes to a model, which the host does not tell. */
const NO_SESSION = 'openclaw:model-input'
/** What stands for a text on which no verdict can be had. */
const UNDECIDED = '[withheld by Sallyport: there is no verdict on this text]'
/** Texts whose verdict is kept: every request to a model holds the whole conversation once more. */
const KEPT = 4_096
/** Milliseconds after which a text is looked at again: the policies may have changed. */
const KEPT_MS = 60_000

/** A rule's refusal has been carried out by a gate; one of the guard itself says that nobody has looked at the text. */
const lacksVerdict = (answer: HookAnswer): boolean =>
  !isDecided(answer) || answer.verdict.reasonCodes.some((code) => code.startsWith('SP_'))

const textIn = ({ reply }: HookAnswer): string => (reply as { readonly text: string }).text

const whole = /^[\s\S]+$/

/**
 * Masks what goes to a model, at the seam that really changes it: whatever way the words have come (a person, another
 * session, a subagent's task, a job, a quotation, the group's history, memory, a summary), here they stand as the model
 * gets them. Each text is looked at by itself; what is refused as a whole is refused by the gates before. What is masked
 * is recorded, in a session of its own: the host does not tell whose request it is.
 */
export const inputText = (
  { decisions, seams }: Pick<ProtectionContext, 'decisions' | 'seams'>,
  now: () => number = Date.now,
): TextTransforms => {
  /** What each text is replaced by; `undefined`: nothing. */
  const looked = createBoundedMap<string, string | undefined>({ most: KEPT, age: { ms: KEPT_MS, now } })
  const look = (text: string): string | undefined => {
    const call = { hook: 'model_input', event: { text }, context: { sessionKey: NO_SESSION } } as const
    const answer = decisions.assess(call)
    const { decision } = answer.verdict
    if (decision !== 'allow' && lacksVerdict(answer)) return UNDECIDED
    if (decision !== 'modify') return undefined
    // What is taken out here stands in the trace, whoever has or has not seen it before.
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
