import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyEdits } from '../../src/core/edits.ts'
import type { Json } from '../../src/protocol/json.ts'
import type { Step } from '../../src/protocol/step.ts'
import type { Decided, Verdict } from '../../src/protocol/verdict.ts'
import { ALLOWED } from './allowed.ts'

/** A file of a case. */
export const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8')) as unknown

/** A file of a case, which may be left out. */
export const readIf = <T>(file: string, otherwise: T): T => (existsSync(file) ? (read(file) as T) : otherwise)

/** The guard's answer in a case. */
export const verdictIn = (folder: string): Verdict => ({
  ...ALLOWED,
  ...readIf<Partial<Verdict>>(join(folder, 'verdict.json'), {}),
})

/** A step with the verdict of its case. @throws Error when the edits do not fit the step */
export const decidedAs = (step: Step, verdict: Verdict): Decided => {
  const applied = applyEdits(step.payload as unknown as Json, verdict.edits)
  if (applied.outcome === 'misfit') throw new Error(`verdict.json does not fit: ${applied.why}`)
  return { step, verdict, merged: { ...step, payload: applied.payload } as unknown as Step }
}
