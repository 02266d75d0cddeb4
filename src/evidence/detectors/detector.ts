import type { FindingCategory, Severity } from '../../protocol/evidence.ts'
import type { Channel } from '../../protocol/step.ts'
import type { ReadViews, Views } from './views/read-views.ts'

/** Something a detector found in one text. Offsets are UTF-16 code units; `start` < `end`. Carries no matched text. */
export interface Match {
  readonly category: FindingCategory
  /** What exactly, within the category: `aws-access-key`, `card`, … */
  readonly type: string
  readonly severity: Severity
  /** 0 to 1. */
  readonly confidence: number
  readonly start: number
  readonly end: number
}

/**
 * Content in, matches out. Pure and total: never throws, whatever the text, and takes time linear in its length.
 * Matches are sorted by `start` and do not overlap one another.
 */
export interface Detector {
  readonly id: string
  /** Changes whenever the same text could give other matches: stands in the trace. */
  readonly version: string
  /** It finds what is masked: secrets, personal data, hidden text. Others are not asked about a text with masks in it. */
  readonly masks?: true
  /** How it reads texts, which is done once for all detectors that look at the same text. */
  readonly reads?: ReadViews
  /** @param views the text as a model may read it otherwise, where somebody has read it so already; places are those of the text */
  detect(text: string, channel: Channel, views?: Views): readonly Match[]
}
