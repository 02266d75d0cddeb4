import type { Detector, Match } from '../detector.ts'
import { createAnchorIndex } from '../anchors.ts'
import { withoutOverlaps } from '../overlap.ts'
import type { KeywordRule } from '../rule.ts'
import { compileRule } from '../rule.ts'
import { ASSIGNMENT_RULES } from './assignments.ts'
import { AUTH_RULES } from './auth.ts'
import { AWS_RULES } from './aws.ts'
import { AZURE_RULES } from './azure.ts'
import { CHAT_RULES } from './chat.ts'
import { CODE_HOST_RULES } from './code-hosts.ts'
import { GOOGLE_RULES } from './google.ts'
import { JWT_RULES } from './jwt.ts'
import { APP_RULES } from './apps.ts'
import { MODEL_RULES } from './models.ts'
import { NAMED_RULES } from './named.ts'
import { PLATFORM_RULES } from './platforms.ts'
import { PACKAGE_RULES } from './packages.ts'
import { PAYMENT_RULES } from './payment.ts'
import { PRIVATE_KEY_RULES } from './private-keys.ts'
import { SERVICE_RULES } from './services.ts'

/** Every rule for secrets, the most telling first: where two find the same, the earlier one gives the name. */
export const SECRET_RULES: readonly KeywordRule[] = [
  ...PRIVATE_KEY_RULES,
  ...AWS_RULES,
  ...GOOGLE_RULES,
  ...AZURE_RULES,
  ...CODE_HOST_RULES,
  ...CHAT_RULES,
  ...PAYMENT_RULES,
  ...MODEL_RULES,
  ...PACKAGE_RULES,
  ...SERVICE_RULES,
  ...PLATFORM_RULES,
  ...APP_RULES,
  ...JWT_RULES,
  ...AUTH_RULES,
  ...NAMED_RULES,
  ...ASSIGNMENT_RULES,
]

/** Whether an anchor stands inside one of our own masks, whose words are no evidence. Masks are short (mask-text.ts). */
const isInMask = (text: string, at: number): boolean => {
  const from = text.slice(Math.max(0, at - 56), at).lastIndexOf('[masked:')
  if (from === -1) return false
  const start = Math.max(0, at - 56) + from
  const mask = /^\[masked:[a-z0-9-]{1,48}\]/.exec(text.slice(start, start + 57))
  return mask !== null && at < start + mask[0].length
}

/**
 * Finds secrets. One pass finds the anchors of all rules; a rule's pattern is tried only where one of its anchors
 * stands and never inside what it has found already, so the cost grows with the text and not with the rules.
 */
export const createSecretsDetector = (rules: readonly KeywordRule[] = SECRET_RULES): Detector => {
  const compiled = rules.map(compileRule)
  const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))]
  const rulesOf = anchors.map((anchor) =>
    rules.flatMap((rule, number) => (rule.anchors.includes(anchor) ? [number] : [])),
  )
  const index = createAnchorIndex(anchors)
  return Object.freeze({
    id: 'secrets',
    version: '1',
    detect: (text: string): readonly Match[] => {
      const found: (Match & { readonly rank: number })[] = []
      const searchedTo = new Map<number, number>()
      index.each(text, (anchor, at) => {
        for (const number of rulesOf[anchor] ?? []) {
          if (at < (searchedTo.get(number) ?? 0)) continue
          const hit = compiled[number]?.tryAt(text, at)
          const rule = rules[number]
          if (hit === undefined || rule === undefined || isInMask(text, at)) continue
          searchedTo.set(number, hit.end)
          found.push({ category: 'secret', type: rule.type, severity: rule.severity, ...hit, rank: number })
        }
      })
      return withoutOverlaps(found, ({ rank }) => rank).map(({ rank: _rank, ...match }) => match)
    },
  })
}
