import type { Channel } from '../../../protocol/step.ts'

/** From which probability on a stretch of text of a channel is a finding. */
export type InjectionThresholds = Readonly<Record<Channel, number>>

/**
 * Chosen on texts of sources that the weights had not seen: of the benign texts of
 * a channel less than one in a hundred is found (docs/detectors/injection.md).
 */
export const DEFAULT_THRESHOLDS: InjectionThresholds = {
  user: 0.8,
  tool: 0.78,
  memory: 0.78,
  knowledge: 0.78,
  agent: 0.82,
}

/** From here on a finding is grave: of benign results and of benign words of agents less than one in a thousand reaches it. */
export const GRAVE = 0.9
