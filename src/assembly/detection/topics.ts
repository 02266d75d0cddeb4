import { SallyportError } from '../../errors/errors.ts'
import type { Detector } from '../../evidence/detectors/detector.ts'
import { createTopicsDetector, faultOfPattern } from '../../evidence/detectors/topics/topics-detector.ts'
import type { Config } from '../../config/schema.ts'

/** The detector for the topics a configuration names; a pattern that is none is an error of the configuration. */
export const topicsOf = ({ topics }: Config): Detector => {
  for (const [at, { patterns }] of topics.deny.entries())
    for (const [number, pattern] of patterns.entries()) {
      const fault = faultOfPattern(pattern)
      const key = `topics.deny.${at}.patterns.${number}`
      if (fault !== undefined)
        throw new SallyportError('SP_CONFIG_VALUE', {
          place: 'sallyport.yaml',
          key,
          expected: `an RE2 pattern (${fault})`,
        })
    }
  return createTopicsDetector(topics.deny)
}
