import type { Detector, Match } from '../detector.ts'
import type { Ranked } from '../keyword-search.ts'
import { createKeywordSearch } from '../keyword-search.ts'
import { withoutOverlaps } from '../overlap.ts'
import type { KeywordRule } from '../rule.ts'
import { ASSIGNMENT_RULES } from './assignments.ts'
import { AUTH_RULES } from './auth.ts'
import { AWS_RULES } from './aws.ts'
import { AZURE_RULES } from './azure.ts'
import { base64Views } from './base64.ts'
import { CHAT_RULES } from './chat.ts'
import { CODE_HOST_RULES } from './code-hosts.ts'
import { COMMAND_LINE_RULES } from './command-lines.ts'
import { CONFIG_FILE_RULES } from './config-files.ts'
import { GOOGLE_RULES } from './google.ts'
import { joinedViews } from './joined.ts'
import { JWT_RULES } from './jwt.ts'
import { APP_RULES } from './apps.ts'
import { dumpViews } from './dumps.ts'
import { findKubernetesSecrets } from './kubernetes.ts'
import { MODEL_RULES } from './models.ts'
import { NAMED_RULES } from './named.ts'
import { PLATFORM_RULES } from './platforms.ts'
import { PACKAGE_RULES } from './packages.ts'
import { PAYMENT_RULES } from './payment.ts'
import { percentViews } from './percent.ts'
import { PRIVATE_KEY_RULES } from './private-keys.ts'
import { SERVICE_RULES } from './services.ts'
import type { View } from './view.ts'

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
  ...CONFIG_FILE_RULES,
  ...AUTH_RULES,
  ...COMMAND_LINE_RULES,
  ...NAMED_RULES,
  ...ASSIGNMENT_RULES,
]

/** How often what was unwrapped is unwrapped again: base64 in base64, percent codes in base64. */
const LAYERS = 2

/** What hides in a text, for another look; joined literals are source code, in which nothing is wrapped further. */
const viewsOf = (text: string, layers: number): readonly View[] => [
  ...base64Views(text),
  ...percentViews(text),
  ...(layers === LAYERS ? [...joinedViews(text), ...dumpViews(text)] : []),
]

/**
 * Finds secrets, also where they are wrapped: in base64, in percent codes, in literals that are joined, in dumps,
 * in the manifests of a cluster. The cost grows with the text and not with the rules.
 */
export const createSecretsDetector = (rules: readonly KeywordRule[] = SECRET_RULES): Detector => {
  const search = createKeywordSearch(rules, 'secret')
  const searchAll = (text: string, layers: number): readonly Ranked[] => {
    const found = [...search(text)]
    if (layers === 0) return found
    for (const view of viewsOf(text, layers)) {
      for (const match of searchAll(view.text, layers - 1)) {
        const origin = view.origin(match.start, match.end)
        if (origin !== undefined) found.push({ ...match, start: origin[0], end: origin[1] })
      }
    }
    return found
  }
  return Object.freeze({
    id: 'secrets',
    masks: true,
    version: '4',
    detect: (text: string): readonly Match[] => {
      const cluster = findKubernetesSecrets(text).map((match) => ({ ...match, rank: rules.length }))
      const found = [...searchAll(text, LAYERS), ...cluster]
      return withoutOverlaps(found, ({ rank }) => rank).map(({ rank: _rank, ...match }) => match)
    },
  })
}
