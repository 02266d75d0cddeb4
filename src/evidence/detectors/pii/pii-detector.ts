import type { Channel } from '../../../protocol/step.ts'
import type { Detector, Match } from '../detector.ts'
import { withoutOverlaps } from '../overlap.ts'
import type { Ranked } from '../keyword-search.ts'
import { createKeywordSearch } from '../keyword-search.ts'
import type { KeywordRule } from '../rule.ts'
import { compileRule } from '../rule.ts'
import { createReadViews, searchViews } from '../views/read-views.ts'
import { NAMED_DATA_RULES } from './named-data.ts'
import { CARD_RULE } from './card.ts'
import { EMAIL_RULE } from './email.ts'
import { IBAN_RULE } from './iban.ts'
import { IPV4_RULE } from './ipv4.ts'
import { findTravelDocuments } from './machine-readable.ts'
import { NATIONAL_ID_RULES } from './national-ids.ts'
import { PERSON_RULES } from './persons.ts'
import { PHONE_RULES } from './phone.ts'
import type { PiiRule, PiiTrigger } from './pii-rule.ts'
import { lengths } from './pii-rule.ts'
import { SELF_CHECKED_RULES } from './self-checked.ts'
import { SSN_RULE } from './ssn.ts'

/** Every rule for personal data, the most specific first: where two match, the earlier one determines the type. */
export const PII_RULES: readonly PiiRule[] = [
  CARD_RULE,
  IBAN_RULE,
  ...SELF_CHECKED_RULES,
  SSN_RULE,
  EMAIL_RULE,
  IPV4_RULE,
  ...PHONE_RULES,
]

/** Rules for data that is personal by name; where another rule matches by form alone, the name wins. */
export const PII_NAMED_RULES: readonly KeywordRule[] = [...NATIONAL_ID_RULES, ...NAMED_DATA_RULES, ...PERSON_RULES]

const SIGNS: Readonly<Record<number, PiiTrigger>> = { 0x40: '@', 0x2b: '+', 0x28: '(' }

/** The trigger at this place, if any. */
const triggerAt = (code: number, previous: number): PiiTrigger | undefined => {
  if (code >= 48 && code <= 57) return previous >= 48 && previous <= 57 ? undefined : 'digits'
  return code > 0x40 ? undefined : SIGNS[code]
}

/** Longer runs of digits are equivalent for all rules. */
const LONGEST_RUN = 33

const runLength = (text: string, at: number): number => {
  let length = 1
  while (length < LONGEST_RUN && text.charCodeAt(at + length) >= 48 && text.charCodeAt(at + length) <= 57) length++
  return length
}

/** Finds personal data of fixed forms, and names and addresses next to words that announce them. */
export const createPiiDetector = (
  rules: readonly PiiRule[] = PII_RULES,
  named: readonly KeywordRule[] = PII_NAMED_RULES,
): Detector => {
  const searchNamed = createKeywordSearch(named, 'pii')
  const ready = rules.map((rule, rank) => ({ rank, rule, compiled: compileRule(rule) }))
  const byTrigger = Map.groupBy(ready, ({ rule }) => rule.trigger)
  const byRun = lengths(0, LONGEST_RUN).map((length) =>
    (byTrigger.get('digits') ?? []).filter(({ rule }) => rule.runs?.includes(length) ?? true),
  )
  const search = (text: string): readonly Ranked[] => {
    const found: Ranked[] = searchNamed(text).map((match) => ({ ...match, rank: match.rank - named.length }))
    for (const match of findTravelDocuments(text)) found.push({ ...match, rank: -named.length - 1 })
    let previous = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const trigger = code > 0x40 ? undefined : triggerAt(code, previous)
      previous = code
      if (trigger === undefined) continue
      for (const { rank, rule, compiled } of (trigger === 'digits'
        ? byRun[runLength(text, at)]
        : byTrigger.get(trigger)) ?? []) {
        const hit = compiled.tryAt(text, at)
        if (hit !== undefined) found.push({ category: 'pii', type: rule.type, severity: rule.severity, ...hit, rank })
      }
    }
    return found
  }
  const read = createReadViews([])
  return Object.freeze({
    id: 'pii',
    masks: true,
    version: '5',
    detect: (text: string, _channel: Channel, views = read(text)): readonly Match[] =>
      withoutOverlaps(searchViews(text, views, search), ({ rank }) => rank).map(({ rank: _rank, ...match }) => match),
  }) satisfies Detector
}
