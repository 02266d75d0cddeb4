import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { AUTH_RULES } from './auth.ts'

const word = ['Tr0ub4', 'dor&3'].join('')
const basic = btoa(`deploy:${word}`)

testRules('auth', AUTH_RULES, {
  'database-url': {
    found: [
      ['DATABASE_URL=postgres://app:', word, '@db.internal:5432/shop'],
      ['mongodb+srv://app:', 'p@ss9word!', '@cluster0.mongodb.net/'],
      ['redis://:', word, '@cache:6379'],
    ],
    clean: [
      'postgres://user:password@localhost/db',
      'postgres://app:${DB_PASSWORD}@db/shop',
      'mysql://app:<password>@db/shop',
      'postgres://db:5432/shop',
    ],
  },
  'url-password': {
    found: [
      ['git clone https://deploy:', word, '@git.corp.net/a.git'],
      ['https://', fake('', 40, 'hex'), ':x-oauth-basic@github.com/a/b'],
    ],
    clean: [
      'https://user:pass@host/',
      'https://abc:xyz@host/',
      'http://localhost:8080/@scope/name',
      'https://a.b/c:d@e',
      'see http://x: y@z',
    ],
  },
  'curl-password': {
    found: [
      ['curl -u admin:', word, ' https://x'],
      ['curl -s --user "api:', word, '" https://x'],
      ['curl -u "', fake('key9', 12), ':" https://x'],
      ['curl -udeploy:', word, ' https://x'],
      ['curl --user=deploy:', word, ' https://x'],
      ['curl -x proxy:80 --proxy-user "deploy:', word, '" https://x'],
    ],
    clean: [
      'curl -u "$USER:$PASS" https://x',
      'curl -u user:password https://x',
      'sudo -u postgres:postgres psql',
      'node a.js | http-send -u http://localhost:8080/logs',
      'docker run -u 1000:1000 image',
      'git push -u origin main:release-2 # curl',
      'curl https://x && id -un; ls -up:w8',
      'curl --user "src@gmail.com" --upload-file out.txt',
    ],
  },
  'bearer-token': {
    found: [
      ['Authorization: Bearer ', fake('', 40), '\n'],
      ['"Authorization": "Bearer ', fake('', 32, 'hex'), '"'],
      ['-H "authorization: bearer ', fake('x9', 30), '"'],
    ],
    clean: [
      'Authorization: Bearer $TOKEN',
      'Authorization: Bearer <token>',
      'Bearer authentication is required',
      'Authorization: Bearer XXXXXXXXXXXX',
      'the bearer of-this-letter-is-welcome',
    ],
  },
  'basic-auth': {
    found: [['Authorization: Basic ', basic, '\n']],
    clean: ['Authorization: Basic ...', 'basic authentication', 'Basic understanding', 'visual basic programming'],
  },
  'authorization-header': {
    found: [
      ['Authorization: Token ', fake('', 40, 'hex'), ''],
      ["--header 'Authorization:  ", '5eb4223e-5008-46e5-be67-c7b8f2732305', "'"],
    ],
    clean: [
      'Authorization: Token **********',
      'authorization = get_authorization()',
      'Authorization: required-by-admin',
    ],
  },
})
