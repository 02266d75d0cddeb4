import { maskText } from '../../evidence/detectors/mask.ts'
import { createSecretsDetector } from '../../evidence/detectors/secrets/secrets-detector.ts'
import type { Severity } from '../../protocol/evidence.ts'

/** A secret in a text: its offset in UTF-16 code units and what it is, never the secret. */
export interface SecretPlace {
  readonly start: number
  readonly type: string
  readonly severity: Severity
}

/** Detects secrets only; reads no configuration, because a commit waits for it. */
export const createSecretScan = (): ((text: string) => readonly SecretPlace[]) => {
  const detector = createSecretsDetector()
  return (text) => detector.detect(text, 'tool').map(({ start, type, severity }) => ({ start, type, severity }))
}

/** Confidence from which a match counts as a secret in a file that is sent. */
const SURE = 0.85

/** Whether a text certainly contains a secret. */
export const createSecretTest = (): ((text: string) => boolean) => {
  const detector = createSecretsDetector()
  return (text) =>
    detector
      .detect(text, 'tool')
      .some(({ severity, confidence }) => confidence >= SURE && (severity === 'critical' || severity === 'high'))
}

/** A name without the secrets in it. */
export const createNameMasker = (): ((name: string) => string) => {
  const detector = createSecretsDetector()
  return (name) => maskText(name, detector.detect(name, 'tool'), ['secret'])
}
