import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { GOOGLE_RULES } from './google.ts'

testRules('google', GOOGLE_RULES, {
  'google-api-key': {
    found: [
      fake('AIza', 35, 'url'),
      fake('AQ.Ab', 50),
      ['?key=', fake('AIza', 35, 'url', 2), '&v=3'],
      ['%3D', fake('AIza', 35, 'url'), ''],
    ],
    clean: [fake('AIza', 34, 'alnum'), fake('AIza', 36, 'alnum'), `AIza${'x'.repeat(35)}`],
  },
  'google-oauth-secret': { found: [fake('GOCSPX-', 28, 'url')], clean: [fake('GOCSPX-', 10, 'alnum')] },
  'google-oauth-token': { found: [fake('ya29.', 120, 'alnum')], clean: ['ya29.short', `ya29.${'a'.repeat(40)}`] },
  'google-refresh-token': { found: [fake('1//0', 60, 'alnum')], clean: ['ratio 1//0 is an error', '1//0abc'] },
})
