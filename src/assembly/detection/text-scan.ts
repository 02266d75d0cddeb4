import type { Detector, Match } from '../../evidence/detectors/detector.ts'
import { DEFAULT_THRESHOLDS } from '../../evidence/detectors/injection/thresholds.ts'
import { createScanner } from '../../evidence/detectors/scanner.ts'
import type { Channel } from '../../protocol/step.ts'
import { createDetectors } from './detectors.ts'
import type { Config } from '../../config/schema.ts'
import type { SqlParser } from './sql-parser.ts'

/** A finding in one text. */
export interface TextFinding extends Match {
  /** Id of the detector. */
  readonly detector: string
}

/** The result of all detectors for one text. */
export interface TextScan {
  readonly findings: readonly TextFinding[]
  /** Probabilities, 0 to 1. */
  readonly scores: { readonly injection: number }
  /** True when the text exceeds `budget.textBytes`: only its beginning was scanned. */
  readonly exhausted: boolean
}

/** Finds in texts what the guard itself would find. */
export interface TextScanner {
  scan(text: string, channel: Channel): TextScan
  /** The configured threshold of each channel: the probability from which a text counts as an injection. */
  readonly thresholds: Readonly<Record<Channel, number>>
}

/** A detector that also returns the probability, 0 to 1, that a whole text matches. */
type Scoring = Detector & { score(text: string, channel: Channel): number }

const isScoring = (detector: Detector): detector is Scoring => 'score' in detector

/** The guard's detectors for texts that belong to no step. @param sql loaded, so that every text is judged alike */
export const createTextScanner = (config: Config, sql?: SqlParser): TextScanner => {
  const detectors = createDetectors(config, sql?.parse)
  const scanner = createScanner({ detectors, budgetBytes: config.budget.textBytes })
  const injection = detectors.filter(isScoring).find(({ id }) => id === 'injection')
  const { user, tool, memory, knowledge, agent } = config.thresholds.injection
  return Object.freeze({
    thresholds: {
      user: user ?? DEFAULT_THRESHOLDS.user,
      tool: tool ?? DEFAULT_THRESHOLDS.tool,
      memory: memory ?? DEFAULT_THRESHOLDS.memory,
      knowledge: knowledge ?? DEFAULT_THRESHOLDS.knowledge,
      agent: agent ?? DEFAULT_THRESHOLDS.agent,
    },
    scan(text: string, channel: Channel): TextScan {
      const { matches, exhausted } = scanner.scanText(text, channel)
      const findings = matches.map(({ category, type, severity, confidence, start, end, detector }) => ({
        category,
        type,
        severity,
        confidence,
        start,
        end,
        detector,
      }))
      const scored = exhausted ? text.slice(0, scanner.budgetBytes) : text
      return { findings, scores: { injection: injection?.score(scored, channel) ?? 0 }, exhausted }
    },
  })
}
