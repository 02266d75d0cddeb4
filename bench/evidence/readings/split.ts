import { createScanner } from '../../../src/evidence/detectors/scanner.ts'
import { createEvidenceGuardian } from '../../../src/guardians/evidence/evidence-guardian.ts'
import { createDetectors } from '../../../src/assembly/detection/detectors.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { Guardian } from '../../../src/core/guardian.ts'
import { NO_EVIDENCE } from '../../../src/protocol/evidence.ts'
import type { Step, StepKind, StepPayloads } from '../../../src/protocol/step.ts'
import { share } from '../tally.ts'
import { VALUE_KINDS } from './values.ts'

const SEEDS = [3, 8, 14, 21, 27, 35] as const

/** How two parts of a value come, one after the other. */
interface Way {
  readonly name: string
  readonly texts: (first: string, second: string) => readonly string[]
  readonly kind: 'result' | 'answer'
}

const WAYS: readonly Way[] = [
  { name: 'results', kind: 'result', texts: (first, second) => [first, second] },
  { name: 'results_lines', kind: 'result', texts: (first, second) => [`line 1\n${first}\n`, `${second}\nline 9\n`] },
  {
    name: 'results_between',
    kind: 'result',
    texts: (first, second) => [first, 'total 0\n', `${second}\n`],
  },
  {
    name: 'answers',
    kind: 'answer',
    texts: (first, second) => [`The first part is ${first}`, `${second} is the rest of it.`],
  },
]

const stepOf = <K extends StepKind>(session: string, number: number, kind: K, payload: StepPayloads[K]): Step =>
  ({
    id: `${session}-${number}`,
    host: 'bench',
    event: 'Bench',
    at: number,
    session: { id: session },
    agent: { id: 'main', role: 'main' },
    kind,
    payload,
  }) as Step

const tool = { name: 'Bash' }

const foundIn = (guardian: Guardian, step: Step, category: string): boolean => {
  const context = { evidence: NO_EVIDENCE, signal: new AbortController().signal, now: () => step.at }
  const opinion = guardian.evaluateNow?.(step, context)
  return opinion?.outcome === 'verdict' && opinion.findings.some((finding) => finding.category === category)
}

/** Values cut in two, the parts in results or answers of one session; and the same parts in two sessions, which is nothing. */
export const measureSplit = async (say: (line: string) => void): Promise<Record<string, number>> => {
  const guardian = createEvidenceGuardian({
    scanner: createScanner({ detectors: createDetectors(loadConfig([])), cacheEntries: 0 }),
  })
  const figures: Record<string, number> = {}
  let session = 0
  const run = (sessions: readonly string[], way: Way, parts: readonly [string, string], category: string): boolean => {
    let found = false
    for (const [at, text] of way.texts(...parts).entries()) {
      const id = sessions[at] ?? sessions[0] ?? ''
      const step =
        way.kind === 'result'
          ? stepOf(id, at, 'toolCallResult', { tool, input: {}, status: 'succeeded', output: { stdout: text } })
          : stepOf(id, at, 'turnEnd', { text, continued: false, outcome: 'completed' })
      if (foundIn(guardian, step, category)) found = true
    }
    return found
  }
  for (const way of WAYS) {
    let [hit, all, wrong] = [0, 0, 0]
    for (const kind of VALUE_KINDS)
      for (const seed of SEEDS)
        for (const part of [0.4, 0.6]) {
          const value = kind.make(seed)
          const cut = Math.round(value.length * part)
          const parts = [value.slice(0, cut), value.slice(cut)] as const
          // A part that is a value by itself tells nothing of what is put together.
          const apart = [`${session++}`, `${session++}`, `${session++}`]
          if (run(apart, way, parts, kind.category)) continue
          all++
          if (run([`${session++}`], way, parts, kind.category)) hit++
          else say(`readings.split_${way.name} missed ${kind.name} ${part} ${seed}`)
          const near = kind.nearMiss(seed)
          if (run([`${session++}`], way, [near.slice(0, 6), near.slice(6)], kind.category)) {
            wrong++
            say(`readings.split_${way.name} false ${kind.name}`)
          }
        }
    figures[`readings.split_${way.name}_found`] = share(hit, all)
    figures[`readings.split_${way.name}_false`] = share(wrong, all)
  }
  return figures
}
