import { ADDRESSED_RULES } from './addressed-rules.ts'
import { CAPABILITY_RULES } from './capability-rules.ts'
import type { InjectionRule } from './injection-rule.ts'
import { LANGUAGE_RULES } from './language-rules.ts'
import { MARKER_RULES } from './marker-rules.ts'
import { OVERRIDE_RULES } from './override-rules.ts'

/** Every rule for injected instructions. */
export const INJECTION_RULES: readonly InjectionRule[] = [
  ...OVERRIDE_RULES,
  ...LANGUAGE_RULES,
  ...MARKER_RULES,
  ...ADDRESSED_RULES,
  ...CAPABILITY_RULES,
]
