import type { Channel } from '../../../protocol/step.ts'

/** From which probability on a stretch of text of a channel is a finding. */
export type InjectionThresholds = Readonly<Record<Channel, number>>

/**
 * Chosen on texts of sources that the weights had not seen: less than one benign text in a hundred of each source is
 * found (docs/detectors/injection.md). People give instructions, and agents repeat them: their words need more.
 */
export const DEFAULT_THRESHOLDS: InjectionThresholds = {
  user: 0.82,
  tool: 0.78,
  memory: 0.78,
  knowledge: 0.78,
  agent: 0.85,
}

/** From here on a finding is grave: of the benign texts in development, one in a thousand of one source reached it. */
export const GRAVE = 0.9
