import { createScanner } from '../evidence/detectors/scanner.ts'
import type { FindingCategory, Severity } from '../protocol/evidence.ts'
import type { Channel } from '../protocol/step.ts'
import { createDetectors } from './detectors.ts'
import type { Config } from './schema.ts'

/** A finding in one text. Offsets are UTF-16 code units; carries no matched text, which may be a secret. */
export interface TextFinding {
  readonly category: FindingCategory
  readonly type: string
  readonly severity: Severity
  /** 0 to 1. */
  readonly confidence: number
  readonly start: number
  readonly end: number
  /** Id of the detector. */
  readonly detector: string
}

/** What all detectors say of one text. */
export interface TextScan {
  readonly findings: readonly TextFinding[]
  /** Probabilities, 0 to 1. */
  readonly scores: { readonly injection: number }
  /** True when the text is longer than `budget.textBytes`: only its beginning was looked at. */
  readonly exhausted: boolean
}

/** Texts in, findings out, as the guard itself would find them. */
export interface TextScanner {
  scan(text: string, channel: Channel): TextScan
}

/** Probability to be an injection; 0 as long as no detector gives one. */
const scoreInjection = (_text: string, _channel: Channel): number => 0

/** The guard's detectors for texts that belong to no step. */
export const createTextScanner = (config: Config): TextScanner => {
  const scanner = createScanner({ detectors: createDetectors(config), budgetBytes: config.budget.textBytes })
  return Object.freeze({
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
      return { findings, scores: { injection: scoreInjection(text, channel) }, exhausted }
    },
  })
}
