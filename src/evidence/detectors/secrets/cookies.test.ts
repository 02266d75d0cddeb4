import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { COOKIE_RULES } from './cookies.ts'

testRules('cookies', COOKIE_RULES, {
  'session-cookie': {
    found: [
      ['Cookie: theme=dark; session=', fake('', 48, 'url'), '; x=1'],
      ['Set-Cookie: connect.sid=', `s%3A${fake('', 32)}.${fake('', 43, 'base64')}`, '; Path=/'],
      ['{"cookie":"PHPSESSID=', fake('', 26, 'lower'), '"}'],
    ],
    clean: [
      `?session=${fake('', 48)}`,
      'Cookie: session=abc',
      'Cookie: session=your-session-cookie-goes-here',
      `Cookie: session=${'x'.repeat(30)}`,
    ],
  },
})
