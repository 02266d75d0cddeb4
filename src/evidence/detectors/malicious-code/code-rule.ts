import type { Candidate, KeywordRule } from '../rule.ts'

/**
 * A rule for malicious code. The anchor is one indicative word; the code is malicious because of other code near it,
 * since each part alone is ordinary.
 */
export interface CodeRule extends KeywordRule {
  /** Frequent in other texts: reported only where the agent itself writes it, and not in quotes. */
  readonly commonplace?: true
}

/** Range before and after the anchor, in code units. */
interface Reach {
  readonly before?: number
  readonly after?: number
}

/** The text around a candidate. */
const around = ({ text, start, end }: Candidate, { before = 600, after = 600 }: Reach): string =>
  text.slice(Math.max(0, start - before), end + after)

/**
 * Evaluates a candidate by the code near it: all patterns must match.
 * @param all each tried on a text of bounded length
 */
export const near =
  (confidence: number, all: readonly RegExp[], reach: Reach = {}) =>
  (candidate: Candidate): number | undefined => {
    const stretch = around(candidate, reach)
    return all.every((one) => one.test(stretch)) ? confidence : undefined
  }

/** Evaluates a candidate by its own text. */
export const contains =
  (confidence: number, ...all: readonly RegExp[]) =>
  ({ value }: Candidate): number | undefined =>
    all.every((one) => one.test(value)) ? confidence : undefined

/** Evaluates a candidate by at most 120 code units right before it. */
export const follows =
  (confidence: number, lead: RegExp) =>
  ({ text, start }: Candidate): number | undefined =>
    lead.test(text.slice(Math.max(0, start - 120), start)) ? confidence : undefined

/** The result of the first judge with one. */
export const either =
  (...judges: readonly ((candidate: Candidate) => number | undefined)[]) =>
  (candidate: Candidate): number | undefined => {
    for (const judge of judges) {
      const confidence = judge(candidate)
      if (confidence !== undefined) return confidence
    }
    return undefined
  }

/** The rest of a line from the anchor on. */
export const LINE = String.raw`[^\n]{1,400}`

/**
 * Evaluates a candidate that is a variable's name, by an earlier assignment to the variable.
 * @param source the assigned value, on one line
 */
export const assignedBefore =
  (confidence: number, source: string) =>
  ({ text, value, start }: Candidate): number | undefined => {
    const name = value.replaceAll('$', String.raw`\$`)
    const assigned = new RegExp(String.raw`(?<![\w$])${name}\s{0,2}=(?!=)[^\n=]{0,80}(?:${source})`, 'i')
    return assigned.test(text.slice(Math.max(0, start - 1_200), start)) ? confidence : undefined
  }
