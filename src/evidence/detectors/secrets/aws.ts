import type { KeywordRule } from '../rule.ts'
import { isTokenPlaceholder } from './placeholder.ts'
import { LEFT, tokenRule } from './token-rules.ts'

/** Text between a name and its value: JSON, YAML, env, INI, code, and the tables of the aws command line. */
const BETWEEN = String.raw`[\\"'\`]{0,4}[ \t]{0,8}(?:=>|:=|[=:|,]|[ \t])[ \t]{0,8}[\\"'\`]{0,4}`

const KEY_ID = '(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z2-7]{16}'

const inContext = (confidence: number) => (candidate: { readonly value: string }) =>
  isTokenPlaceholder(candidate.value) || /^[0-9a-f]+$/.test(candidate.value) ? undefined : confidence

/** Amazon Web Services. */
export const AWS_RULES: readonly KeywordRule[] = [
  {
    type: 'aws-secret-key',
    severity: 'critical',
    confidence: 0.95,
    anchors: [
      'secret_access_key',
      'secret-access-key',
      'secretaccesskey',
      'aws_secret_key',
      'awssecretkey',
      'aws_secret',
    ],
    pattern: `[A-Za-z_-]{3,24}${BETWEEN}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`,
    ignoreCase: true,
    entropy: 3.5,
    assess: inContext(0.95),
  },
  {
    // Credential reports and pasted pairs: the secret follows its key id.
    type: 'aws-secret-key',
    severity: 'critical',
    confidence: 0.9,
    anchors: ['akia', 'asia'],
    pattern: String.raw`${LEFT}${KEY_ID}[\\"'\`]{0,4}[ \t]{0,4}[,;:|/ \t][ \t]{0,4}[\\"'\`]{0,4}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`,
    entropy: 3.5,
    assess: inContext(0.9),
  },
  {
    type: 'aws-session-token',
    severity: 'critical',
    confidence: 0.95,
    anchors: ['session_token', 'session-token', 'sessiontoken', 'security_token', 'security-token'],
    pattern: `(?:session|security)[_-]?token${BETWEEN}([A-Za-z0-9/+=]{100,4096})`,
    ignoreCase: true,
    entropy: 4,
    assess: inContext(0.95),
  },
  tokenRule({
    type: 'aws-access-key',
    anchors: ['akia', 'asia', 'abia', 'acca', 'a3t'],
    pattern: KEY_ID,
    severity: 'high',
  }),
  tokenRule({
    type: 'aws-bedrock-key',
    anchors: ['absk', 'bedrock-api-key-'],
    // The short-lived kind is a signed URL in base64.
    pattern: '(?:ABSK[A-Za-z0-9+/]{109,269}|bedrock-api-key-[A-Za-z0-9+/]{60,4000})={0,2}',
    right: '(?![A-Za-z0-9+/=])',
  }),
]
