import type { Severity } from '../../../protocol/evidence.ts'
import type { Channel } from '../../../protocol/step.ts'
import { createAnchorIndex } from '../text/anchors.ts'
import type { Detector, Match } from '../detector.ts'
import { withoutOverlaps } from '../overlap.ts'
import { compileRule } from '../rule.ts'
import type { CodeRule } from './code-rule.ts'
import { DROPPER_RULES } from './droppers.ts'
import { OBFUSCATION_RULES } from './obfuscation.ts'
import { isQuoted } from './quoted.ts'
import { REVERSE_SHELL_RULES } from './reverse-shells.ts'
import { THEFT_AND_DAMAGE_RULES } from './theft-and-damage.ts'

/** Every rule for malicious code, the most specific first. */
export const MALICIOUS_CODE_RULES: readonly CodeRule[] = [
  ...REVERSE_SHELL_RULES,
  ...THEFT_AND_DAMAGE_RULES,
  ...DROPPER_RULES,
  ...OBFUSCATION_RULES,
]

/** Code that the agent writes is about to exist; code that it reads may only be an example. */
const TRUST: { readonly [C in Channel]?: number } = { user: 0.8, tool: 0.8, knowledge: 0.8, memory: 0.9 }

/** A severity that no rule refuses: quoted code is not run. */
const QUOTED_SEVERITY: Severity = 'medium'

/** Finds malicious code: one pass finds the anchors of all rules, and a rule is tried only at its own anchors. */
export const createMaliciousCodeDetector = (rules: readonly CodeRule[] = MALICIOUS_CODE_RULES): Detector => {
  const compiled = rules.map(compileRule)
  const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))]
  const rulesOf = anchors.map((anchor) =>
    rules.flatMap((rule, number) => (rule.anchors.includes(anchor) ? [number] : [])),
  )
  const index = createAnchorIndex(anchors)
  return Object.freeze<Detector>({
    id: 'malicious-code',
    version: '1',
    detect: (text, channel) => {
      const found: (Match & { readonly rank: number })[] = []
      const searchedTo = new Map<number, number>()
      index.each(text, (anchor, at) => {
        for (const number of rulesOf[anchor] ?? []) {
          if (at < (searchedTo.get(number) ?? 0)) continue
          const rule = rules[number]
          const hit = compiled[number]?.tryAt(text, at)
          if (hit === undefined || rule === undefined) continue
          searchedTo.set(number, hit.end)
          const quoted = isQuoted(text, hit.start)
          if (rule.commonplace === true && (quoted || channel !== 'agent')) continue
          const confidence = hit.confidence * (TRUST[channel] ?? 1) * (quoted ? 0.6 : 1)
          const severity = quoted ? QUOTED_SEVERITY : rule.severity
          found.push({ category: 'malicious_code', type: rule.type, ...hit, severity, confidence, rank: number })
        }
      })
      return withoutOverlaps(found, ({ rank }) => rank).map(({ rank: _rank, ...match }) => match)
    },
  })
}
