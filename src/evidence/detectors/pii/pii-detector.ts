import type { Detector, Match } from '../detector.ts'
import { withoutOverlaps } from '../overlap.ts'
import { compileRule } from '../rule.ts'
import { CARD_RULE } from './card.ts'
import { EMAIL_RULE } from './email.ts'
import { IBAN_RULE } from './iban.ts'
import { IPV4_RULE } from './ipv4.ts'
import { PHONE_RULES } from './phone.ts'
import type { PiiRule, PiiTrigger } from './pii-rule.ts'
import { SSN_RULE } from './ssn.ts'

/** Every rule for personal data, the most telling first: where two find the same, the earlier one gives the name. */
export const PII_RULES: readonly PiiRule[] = [CARD_RULE, IBAN_RULE, SSN_RULE, EMAIL_RULE, IPV4_RULE, ...PHONE_RULES]

const SIGNS: Readonly<Record<number, PiiTrigger>> = { 0x40: '@', 0x2b: '+', 0x28: '(' }

/** What a search could start from at this place. */
const triggerAt = (code: number, previous: number): PiiTrigger | undefined => {
  if (code >= 48 && code <= 57) return previous >= 48 && previous <= 57 ? undefined : 'digits'
  return code > 0x40 ? undefined : SIGNS[code]
}

/** Finds personal data of fixed forms. Names and postal addresses have none, and are not found. */
export const createPiiDetector = (rules: readonly PiiRule[] = PII_RULES): Detector => {
  const ready = rules.map((rule, rank) => ({ rank, rule, compiled: compileRule(rule) }))
  const byTrigger = Map.groupBy(ready, ({ rule }) => rule.trigger)
  return Object.freeze({
    id: 'pii',
    version: '1',
    detect: (text: string): readonly Match[] => {
      const found: (Match & { readonly rank: number })[] = []
      let previous = 0
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        const trigger = code > 0x40 ? undefined : triggerAt(code, previous)
        previous = code
        if (trigger === undefined) continue
        for (const { rank, rule, compiled } of byTrigger.get(trigger) ?? []) {
          const hit = compiled.tryAt(text, at)
          if (hit !== undefined) found.push({ category: 'pii', type: rule.type, severity: rule.severity, ...hit, rank })
        }
      }
      return withoutOverlaps(found, ({ rank }) => rank).map(({ rank: _rank, ...match }) => match)
    },
  })
}
