import fc from 'fast-check'

/** One parser or detector with the inputs it is tried on and the laws it is held to. */
export interface Target {
  readonly name: string
  readonly inputs: fc.Arbitrary<unknown>
  /** Throws when a law is broken. */
  readonly check: (input: unknown) => void
  /** Whether cases cost so much that a short run takes fewer. */
  readonly slow: boolean
}

/** Makes a target; what it checks is what it generates. */
export const target = <T>(
  name: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => void,
  { slow = false }: { readonly slow?: boolean } = {},
): Target => ({ name, inputs, check: (input) => check(input as T), slow })

/** What became of a run. */
export interface Ran {
  readonly cases: number
  /** The law that broke, the smallest input that breaks it, and where fast-check finds it again. */
  readonly broken?: { readonly why: string; readonly input: unknown; readonly path: string }
}

interface RunOptions {
  /** In place of the target's own check. */
  readonly check?: (input: unknown) => void
  /** The run ends after so long, with as many cases as it got to. */
  readonly seconds?: number
}

/** Runs so many cases of a target, a whole number; the same seed gives the same cases. */
export const runTarget = (one: Target, cases: number, seed: number, options: RunOptions = {}): Ran => {
  const { check = one.check, seconds } = options
  const result = fc.check(
    fc.property(one.inputs, (input) => check(input)),
    { numRuns: cases, seed, ...(seconds === undefined ? {} : { interruptAfterTimeLimit: seconds * 1_000 }) },
  )
  if (!result.failed || result.counterexamplePath === null) return { cases: result.numRuns }
  const why = result.errorInstance instanceof Error ? (result.errorInstance.stack ?? '') : String(result.errorInstance)
  return { cases: result.numRuns, broken: { why, input: result.counterexample?.[0], path: result.counterexamplePath } }
}
