import type { Candidate, KeywordRule } from '../rule.ts'

/**
 * A rule for malicious code. The anchor is one telling word; what makes it malicious is what else stands near it, since
 * each part alone is ordinary code.
 */
export interface CodeRule extends KeywordRule {
  /** Everyone writes about it: told only where the agent itself writes it, and not in quotes. */
  readonly commonplace?: true
}

/** How far to look before and after the anchor, in code units. */
interface Reach {
  readonly before?: number
  readonly after?: number
}

/** The stretch of text round a candidate. */
const around = ({ text, start, end }: Candidate, { before = 600, after = 600 }: Reach): string =>
  text.slice(Math.max(0, start - before), end + after)

/**
 * Judges a candidate by what stands near it: every one of these has to.
 * @param all each tried on a stretch of bounded length
 */
export const near =
  (confidence: number, all: readonly RegExp[], reach: Reach = {}) =>
  (candidate: Candidate): number | undefined => {
    const stretch = around(candidate, reach)
    return all.every((one) => one.test(stretch)) ? confidence : undefined
  }

/** Judges a candidate by its own text. */
export const says =
  (confidence: number, ...all: readonly RegExp[]) =>
  ({ value }: Candidate): number | undefined =>
    all.every((one) => one.test(value)) ? confidence : undefined

/** Judges a candidate by what stands right before it, on at most 120 code units. */
export const follows =
  (confidence: number, lead: RegExp) =>
  ({ text, start }: Candidate): number | undefined =>
    lead.test(text.slice(Math.max(0, start - 120), start)) ? confidence : undefined

/** The first judge that finds something. */
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
 * Judges a candidate that is a variable's name, by what was put into the variable before.
 * @param source what the variable was given, on one line
 */
export const heldBefore =
  (confidence: number, source: string) =>
  ({ text, value, start }: Candidate): number | undefined => {
    const name = value.replaceAll('$', String.raw`\$`)
    const given = new RegExp(String.raw`(?<![\w$])${name}\s{0,2}=(?!=)[^\n=]{0,80}(?:${source})`, 'i')
    return given.test(text.slice(Math.max(0, start - 1_200), start)) ? confidence : undefined
  }
