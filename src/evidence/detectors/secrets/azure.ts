import type { KeywordRule } from '../rule.ts'
import { isTokenPlaceholder } from './placeholder.ts'
import { tokenRule } from './token-rules.ts'

const DIGITS = Array.from('0123456789')

/** Microsoft Azure. */
export const AZURE_RULES: readonly KeywordRule[] = [
  {
    // Connection strings of storage, service bus, event hubs, IoT hub, Cosmos.
    type: 'azure-account-key',
    severity: 'critical',
    confidence: 0.95,
    anchors: ['accountkey', 'account_key', 'sharedaccesskey', 'primarykey', 'storage_key', 'storagekey', 'access_key'],
    pattern: String.raw`[A-Za-z_]{8,20}[\\"'\`]{0,4}[ \t]{0,4}[=:][ \t]{0,4}[\\"'\`]{0,4}([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)(?![A-Za-z0-9+/=])`,
    ignoreCase: true,
    entropy: 4,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.95),
  },
  {
    // No name or tenant id is required nearby: the form alone (three characters, digit, Q~) is the provider's.
    type: 'azure-client-secret',
    severity: 'critical',
    confidence: 0.9,
    anchors: DIGITS.map((digit) => `${digit}q~`),
    before: 3,
    pattern: String.raw`(?:(?<![A-Za-z0-9_~.-])|(?<=\\[nrt]))([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})(?![A-Za-z0-9_~-])`,
    entropy: 3.5,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.9),
  },
  {
    type: 'azure-sas',
    severity: 'high',
    confidence: 0.9,
    anchors: ['sig='],
    pattern: String.raw`(?<=[?&;]|\\u0026)sig=([A-Za-z0-9+/%]{43,120}(?:%3D|=)?)(?![A-Za-z0-9+/%])`,
    ignoreCase: true,
    entropy: 4,
    // A signature is a SAS only next to the parameters that it signs.
    assess: ({ text, start, end, value }) => {
      const around = text.slice(Math.max(0, start - 512), start) + text.slice(end, end + 512)
      return /(?:[?&;]|\\u0026)s[evrpt]=/.test(around) && !isTokenPlaceholder(value) ? 0.9 : undefined
    },
  },
  tokenRule({
    type: 'azure-devops-token',
    anchors: ['azdo'],
    before: 76,
    pattern: '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}',
  }),
]
