/** Error numbers of ACS 0.1.0 (section 17.1). */
export const ACS_ERRORS = {
  sessionRefused: -32_000,
  unsupportedVersion: -32_001,
  provenanceRequired: -32_002,
  capabilityNotNegotiated: -32_003,
  signatureInvalid: -32_004,
  replayDetected: -32_005,
  timestampOutOfWindow: -32_006,
  chainMismatch: -32_007,
} as const

/** Names of the errors, as used in `message`. */
export const ACS_ERROR_NAMES: Readonly<Record<keyof typeof ACS_ERRORS, string>> = {
  sessionRefused: 'SESSION_REFUSED',
  unsupportedVersion: 'UNSUPPORTED_VERSION',
  provenanceRequired: 'PROVENANCE_REQUIRED',
  capabilityNotNegotiated: 'CAPABILITY_NOT_NEGOTIATED',
  signatureInvalid: 'SIGNATURE_INVALID',
  replayDetected: 'REPLAY_DETECTED',
  timestampOutOfWindow: 'TIMESTAMP_OUT_OF_WINDOW',
  chainMismatch: 'CHAIN_MISMATCH',
}
