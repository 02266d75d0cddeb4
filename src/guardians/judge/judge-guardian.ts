import type { RecentWords } from '../../evidence/labels/recent-words.ts'
import type { Deadline } from '../../client/retry-policy.ts'
import type { GuardContext, Guardian, Opinion } from '../../core/guardian.ts'
import { NO_OBJECTION } from '../../core/guardian.ts'
import type { Severity } from '../../protocol/evidence.ts'
import type { MaskText } from '../../protocol/masked-value.ts'
import type { Step, StepKind } from '../../protocol/step.ts'
import type { Decision } from '../../protocol/verdict.ts'
import { caseOf } from './case.ts'
import type { Case, JudgedStep } from './case.ts'
import type { Judged, JudgeClient } from './judge-client.ts'
import { QUESTION } from './prompt.ts'
import type { Judgement } from './prompt.ts'

/** What follows from judgements that object. */
export interface JudgeTerms {
  readonly notAsked: 'deny' | 'ask'
  readonly unsure: 'deny' | 'ask' | 'allow'
  /** Asks and records the same, and stops nothing. */
  readonly observes: boolean
}

export interface JudgeOptions {
  readonly id: string
  /** Protocol and model, as part of the guardian's version. */
  readonly model: string
  readonly client: JudgeClient
  readonly words: Pick<RecentWords, 'of'>
  readonly terms: JudgeTerms
  readonly kinds?: readonly StepKind[]
  /** Masks what must not leave the machine. */
  readonly mask: MaskText
  /** Milliseconds that somebody waits for an opinion. */
  readonly deadlineMs: number
}

const isJudged = (step: Step): step is JudgedStep =>
  step.kind === 'toolCallRequest' || step.kind === 'permissionRequest'

const REASONS: Readonly<Record<'not_asked' | 'unsure', string>> = {
  not_asked: 'A model that was asked to judge found that the person did not ask for this. Ask them before you do it.',
  unsure: 'A model that was asked to judge could not see that the person asked for this. Ask them before you do it.',
}

/** Makes the guardian. It only ever objects: no judgement lifts what rules or other guardians object to. */
export const createJudgeGuardian = (options: JudgeOptions): Guardian => {
  const { id, model, client, words, terms, kinds, mask, deadlineMs } = options

  /** Made to look an answer up, for the case that it has to be asked for. */
  const cases = new WeakMap<Step, Case>()

  const objection = (judgement: 'not_asked' | 'unsure', decision: Decision): Opinion => {
    const severity: Severity = judgement === 'not_asked' ? 'high' : 'medium'
    const span = { pointer: '', start: 0, end: 0 }
    const said = {
      ...NO_OBJECTION,
      reason: decision === 'allow' ? '' : REASONS[judgement],
      reasonCodes: [`${id}:${judgement}`],
      findings: [{ category: 'agent_threat', type: judgement, severity, confidence: 1, span, detector: id } as const],
    }
    if (terms.observes) return { ...said, ...(decision === 'allow' ? {} : { observed: decision }) }
    return { ...said, decision, ...(decision === 'ask' ? { approval: 'human' } : {}) }
  }

  const opinionOn = (judgement: Judgement): Opinion => {
    switch (judgement) {
      case 'asked':
      case 'delegated':
        return { ...NO_OBJECTION, reason: `The judge answered ${judgement}.` }
      case 'not_asked':
        return objection(judgement, terms.notAsked)
      case 'unsure':
        return objection(judgement, terms.unsure)
      default:
        return judgement satisfies never
    }
  }

  const opinionOf = (judged: Judged): Opinion => {
    if (judged.outcome === 'judged') return opinionOn(judged.judgement)
    if (!terms.observes) return judged
    const { why, cause } = judged
    const span = { pointer: '', start: 0, end: 0 }
    return {
      ...NO_OBJECTION,
      observed: 'deny',
      reason: `The judge gave no verdict: ${cause}`,
      reasonCodes: [`${id}:no_verdict`],
      findings: [{ category: 'scan_failure', type: why, severity: 'high', confidence: 1, span, detector: id }],
    }
  }

  /** The case of a call that somebody other than the person may have asked for. */
  const openCase = (step: Step, { evidence: { authority }, audit }: GuardContext): Case | undefined => {
    if (!isJudged(step) || audit === true || authority === undefined || authority.by === 'person') return undefined
    const known = cases.get(step)
    if (known !== undefined) return known
    const one = caseOf(step, words.of(step.session.id), { authority, mask })
    cases.set(step, one)
    return one
  }

  /** Without a word of the person no model can know what they asked for. */
  const isMute = ({ person, task }: Case): boolean => person.length + task.length === 0

  return Object.freeze<Guardian>({
    id,
    version: `${QUESTION} ${model}`,
    stage: 'evidence',
    handles: (step) => isJudged(step) && (kinds === undefined || kinds.includes(step.kind)),
    evaluateNow(step, context) {
      const one = openCase(step, context)
      if (one === undefined) return NO_OBJECTION
      if (isMute(one)) return opinionOn('unsure')
      const known = client.recall(one)
      return known === undefined ? undefined : opinionOf(known)
    },
    async evaluate(step, context) {
      const one = openCase(step, context)
      if (one === undefined) return NO_OBJECTION
      const until = context.now() + deadlineMs
      const deadline: Deadline = { until: () => until, signal: context.signal }
      return opinionOf(await client.ask(one, deadline))
    },
  })
}
