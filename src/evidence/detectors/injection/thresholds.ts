import type { Channel } from '../../../protocol/step.ts'

/** Lowest probability of a finding, for each channel. */
export type InjectionThresholds = Readonly<Record<Channel, number>>

/**
 * Chosen on texts from sources outside the training data: less than one in a hundred benign texts of a channel is found
 * (docs/detectors/injection.md).
 */
export const DEFAULT_THRESHOLDS: InjectionThresholds = {
  user: 0.8,
  tool: 0.78,
  memory: 0.78,
  knowledge: 0.78,
  agent: 0.82,
}

/**
 * Lowest probability of a finding with high severity: less than one in a thousand benign results and benign texts of
 * agents reaches it.
 */
export const GRAVE = 0.9
