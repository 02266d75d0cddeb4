import type { Channel } from '../../../protocol/step.ts'
import type { Detector, Match } from '../detector.ts'
import { createKeywordSearch } from '../keyword-search.ts'
import { withoutOverlaps } from '../overlap.ts'
import type { KeywordRule } from '../rule.ts'
import { createReadViews, searchViews } from '../views/read-views.ts'
import { ASSIGNMENT_RULES } from './assignments.ts'
import { AUTH_RULES } from './auth.ts'
import { AWS_RULES } from './aws.ts'
import { AZURE_RULES } from './azure.ts'
import { CHAT_RULES } from './chat.ts'
import { CODE_HOST_RULES } from './code-hosts.ts'
import { COMMAND_LINE_RULES } from './command-lines.ts'
import { CONFIG_FILE_RULES } from './config-files.ts'
import { GOOGLE_RULES } from './google.ts'
import { JWT_RULES } from './jwt.ts'
import { APP_RULES } from './apps.ts'
import { findKubernetesSecrets } from './kubernetes.ts'
import { MODEL_RULES } from './models.ts'
import { NAMED_RULES } from './named.ts'
import { PLATFORM_RULES } from './platforms.ts'
import { PACKAGE_RULES } from './packages.ts'
import { PAYMENT_RULES } from './payment.ts'
import { PRIVATE_KEY_RULES } from './private-keys.ts'
import { SERVICE_RULES } from './services.ts'
import { SPOKEN_RULES } from './spoken.ts'

/** Every rule for secrets, the most specific first: where two match, the earlier one determines the type. */
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
  ...SPOKEN_RULES,
]

/** Prefixes of keys that are identified by their form alone. */
const keyAnchors = (rules: readonly KeywordRule[]): readonly string[] => [
  ...new Set(rules.flatMap(({ byForm, anchors }) => (byForm === true ? anchors : []))),
]

/**
 * Finds secrets, also in texts with other readings, and in the manifests of a cluster. The cost grows with the text and
 * not with the rules.
 */
export const createSecretsDetector = (
  rules: readonly KeywordRule[] = SECRET_RULES,
): Detector & Required<Pick<Detector, 'reads'>> => {
  const search = createKeywordSearch(rules, 'secret')
  const reads = createReadViews(keyAnchors(rules))
  return Object.freeze({
    id: 'secrets',
    masks: true,
    version: '5',
    reads,
    detect: (text: string, _channel: Channel, reading = reads(text)): readonly Match[] => {
      const cluster = findKubernetesSecrets(text).map((match) => ({ ...match, rank: rules.length }))
      const found = [...searchViews(text, reading, search), ...cluster]
      return withoutOverlaps(found, ({ rank }) => rank).map(({ rank: _rank, ...match }) => match)
    },
  }) satisfies Detector
}
