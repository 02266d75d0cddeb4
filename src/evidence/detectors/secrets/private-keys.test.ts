import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { PRIVATE_KEY_RULES } from './private-keys.ts'

const body = (seed: number): readonly string[] => [1, 2, 3].map((line) => fake('', 64, 'base64', seed + line))
const block = (kind: string, end: string, head: readonly string[] = []): string =>
  [`-----BEGIN ${kind}-----`, ...head, ...body(kind.length), `-----END ${kind}-----`].join(end)
const numbered = block('RSA PRIVATE KEY', '\n')
  .split('\n')
  .map((line, number) => (number === 0 ? line : `     ${number}\t${line}`))
  .join('\n')
const cut = ['-----BEGIN PRIVATE KEY-----', ...body(4)].join('\n')

testRules('private keys', PRIVATE_KEY_RULES, {
  'private-key': {
    found: [
      ...[
        'PRIVATE KEY',
        'RSA PRIVATE KEY',
        'EC PRIVATE KEY',
        'DSA PRIVATE KEY',
        'OPENSSH PRIVATE KEY',
        'ENCRYPTED PRIVATE KEY',
      ].map((kind) => block(kind, '\n')),
      block('PGP PRIVATE KEY BLOCK', '\n', ['Version: GnuPG v2.1-beta', '']),
      block('RSA PRIVATE KEY', '\r\n', ['Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,00FF', '']),
      ['{"type":"service_account","private_key":"', block('PRIVATE KEY', '\\n'), '\\n","client_id":"1"}'],
      ['     0\t', numbered, '\nmore'],
      ['text\n'.repeat(3), cut, ''],
      ['---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----', ...body(7), '---- END SSH2 ENCRYPTED PRIVATE KEY ----'].join('\n'),
    ],
    clean: [
      '-----BEGIN PRIVATE KEY-----\nanything\n-----END PRIVATE KEY-----',
      '-----BEGIN OPENSSH PRIVATE KEY----------END OPENSSH PRIVATE KEY-----',
      block('PUBLIC KEY', '\n'),
      block('CERTIFICATE', '\n'),
      ['---- BEGIN SSH2 PUBLIC KEY ----', ...body(7), '---- END SSH2 PUBLIC KEY ----'].join('\n'),
      'grep -r "-----BEGIN RSA PRIVATE KEY-----" .',
    ],
  },
  'putty-private-key': { found: [['Private-Lines: 3\n', body(9).join('\n'), '']], clean: ['Private-Lines: 3\n'] },
  'age-secret-key': { found: [fake('AGE-SECRET-KEY-1', 58, 'bech32')], clean: ['AGE-SECRET-KEY-1'] },
})
