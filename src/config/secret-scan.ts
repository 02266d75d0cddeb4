import { createSecretsDetector } from '../evidence/detectors/secrets/secrets-detector.ts'
import type { Severity } from '../protocol/evidence.ts'

/** A secret in a text: its offset in UTF-16 code units and what it is, never the secret. */
export interface SecretPlace {
  readonly start: number
  readonly type: string
  readonly severity: Severity
}

/** Looks for secrets alone; reads no configuration, because a commit waits for it. */
export const createSecretScan = (): ((text: string) => readonly SecretPlace[]) => {
  const detector = createSecretsDetector()
  return (text) => detector.detect(text, 'tool').map(({ start, type, severity }) => ({ start, type, severity }))
}
