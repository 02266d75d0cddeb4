import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { CONFIG_FILE_RULES } from './config-files.ts'

/** In pieces, so that this file is not detected as Terraform state. */
const random = 'random'
const word = ['Tr0ub4', 'dor&3'].join('')
const words = 'ladder orbit copper velvet island rocket mango pencil tunnel winter zebra quartz'

testRules('files of settings', CONFIG_FILE_RULES, {
  'netrc-password': {
    found: [
      ['machine git.corp.net login deploy password ', word, '\n'],
      ['machine git.corp.net\n  login deploy\n  password ', word, '\n'],
      ['default login anonymous password ', word, ''],
    ],
    clean: [
      'machine git.corp.net login deploy password changeme',
      'the default login form has a password field',
      'machine learning: log in with your password today',
    ],
  },
  'docker-auth': {
    found: [
      ['{"auths":{"ghcr.io":{"auth":"', btoa(`deploy:${word}`), '"}}}'],
      ['"{\\"auths\\":{\\"ghcr.io\\":{\\"auth\\":\\"', btoa(`deploy:${word}`), '\\"}}}"'],
    ],
    clean: [`{"auth":"${btoa('user:password')}"}`, '{"auth":"Bearer"}', `{"auth":"${fake('', 40, 'base64')}"}`],
  },
  'sidekiq-secret': {
    found: [
      ['BUNDLE_ENTERPRISE__CONTRIBSYS__COM=', 'c4f3b4b2:d34db33f', '\n'],
      ['bundle config gems.contribsys.com ', 'c4f3b4b2:d34db33f', '\n'],
    ],
    clean: ['BUNDLE_GEMS__CONTRIBSYS__COM=${KEY}', 'gems.contribsys.com 00000000:00000000'],
  },
  'laravel-key': {
    found: [
      ["'key' => 'base64:", `${fake('', 43, 'base64')}=`, "',"],
      ['APP_KEY=base64:', `${fake('', 43, 'base64')}=`, '\n'],
    ],
    clean: [`base64:${fake('', 43, 'base64')}=`, `"key": "base64:${'A'.repeat(43)}="`],
  },
  'terraform-state-secret': {
    found: [[`{"type":"${random}_password","attributes":{"id":"none","length":20,"result": "`, word, '"}}']],
    clean: ['{"type":"random_password"}', '{"type":"random_id","result":"Zx9wq7Lm2"}'],
  },
  'jwk-private-key': {
    found: [
      ['{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"', fake('', 43, 'url'), '"}'],
      ['{"k":"', fake('', 43, 'url'), '","kty":"oct"}'],
      ['"{\\"kty\\":\\"EC\\",\\"d\\":\\"', fake('', 43), '\\"}"'],
    ],
    clean: [`{"d":"${fake('', 43)}"}`, '{"kty":"RSA","n":"abc","e":"AQAB"}', '{"kty":"RSA","d":"..."}'],
  },
  'wireguard-key': {
    found: [
      ['[Peer]\nPresharedKey = ', `${fake('', 43, 'base64')}=`, '\n'],
      ['[Interface]\nPrivateKey = ', `${fake('', 43, 'base64')}=`, '\n'],
    ],
    clean: [`PublicKey = ${fake('', 43, 'base64')}=`, `PrivateKey = ${'A'.repeat(43)}=`],
  },
  'recovery-phrase': {
    found: [
      ['MNEMONIC="', words, '"'],
      ['my seed phrase is ', words, '.'],
      ['mnemonic: ', `${words} ${words.split(' ').toReversed().join(' ')}`, '\n'],
    ],
    clean: [
      `MNEMONIC="${'test '.repeat(11)}junk"`,
      'a mnemonic: roses with that colour always bring more luck than seven other kinds of flower',
      'seed phrase: never share it',
    ],
  },
  'database-url': {
    found: [['jdbc:oracle:thin:scott/', word, '@//db:1521/shop']],
    clean: ['jdbc:oracle:thin:@//db:1521/shop', 'jdbc:oracle:thin:scott/password@db'],
  },
  'node-provider-key': {
    found: [
      ['https://mainnet.infura.io/v3/', fake('', 32, 'hex'), ''],
      ['https://eth-mainnet.g.alchemy.com/v2/', fake('', 32, 'url'), ''],
    ],
    clean: ['https://mainnet.infura.io/v3/YOUR-PROJECT-ID-GOES-RIGHT-HERE-X', 'https://infura.io/docs'],
  },
})
