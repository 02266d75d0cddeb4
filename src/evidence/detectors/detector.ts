import type { FindingCategory, Severity } from '../../protocol/evidence.ts'
import type { Channel } from '../../protocol/step.ts'
import type { ReadViews, Reading } from './views/read-views.ts'

/** Something a detector found in one text. Offsets are UTF-16 code units; `start` < `end`. Carries no matched text. */
export interface Match {
  readonly category: FindingCategory
  /** The exact type within the category: `aws-access-key`, `card`, … */
  readonly type: string
  readonly severity: Severity
  /** 0 to 1. */
  readonly confidence: number
  readonly start: number
  readonly end: number
}

/**
 * Content in, matches out. Pure and total: never throws, for any text, and takes linear time. Matches are sorted by
 * `start` and do not overlap one another.
 */
export interface Detector {
  readonly id: string
  /** Changes whenever the same text could give other matches; recorded in the trace. */
  readonly version: string
  /**
   * Finds what is masked: secrets, personal data, hidden text. Other detectors are not run on a text with masks in it.
   */
  readonly masks?: true
  /** Reads a text, once for all detectors. */
  readonly reads?: ReadViews
  /** @param reading what is already known of the text; places refer to the text itself */
  detect(text: string, channel: Channel, reading?: Reading): readonly Match[]
}
