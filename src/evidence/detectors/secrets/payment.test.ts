import { fake } from '../../../../test/support/fake.ts'
import { testRules, uuid, valueSamples } from '../../../../test/support/secret-samples.ts'
import { PAYMENT_RULES } from './payment.ts'

testRules('payment', PAYMENT_RULES, {
  'stripe-key': {
    found: [fake('sk_live_', 24), fake('rk_live_', 99), fake('sk_prod_', 40)],
    clean: [`sk_live_${'x'.repeat(24)}`, 'sk_live_key'],
  },
  'stripe-test-key': {
    found: [fake('sk_test_', 24), fake('rk_test_', 24)],
    clean: ['sk_test_', 'task_test_runner_for_everything'],
  },
  'stripe-webhook-secret': { found: [fake('whsec_', 32)], clean: ['whsec_test'] },
  'shopify-token': { found: [fake('shpat_', 32, 'hex'), fake('shpss_', 32, 'hex')], clean: ['shpat_token'] },
  'square-token': {
    found: [fake('sq0csp-', 43, 'alnum'), fake('sq0atp-', 22, 'alnum'), fake('EAAA', 60)],
    clean: ['sq0csp-x'],
  },
  'flutterwave-key': {
    found: [
      `${fake('FLWSECK_TEST-', 32, 'hex')}-X`,
      fake('FLWSECK_TEST-', 12, 'hex'),
      `${fake('FLWPUBK-', 32, 'hex')}-X`,
    ],
    clean: ['FLWSECK_TEST-SANDBOXDEMOKEY'],
  },
  'razorpay-key': valueSamples(fake('rzp_live_', 14), 'rzp_live_key'),
  'braintree-token': valueSamples(
    ['access_token', 'production', fake('', 16, 'lower'), fake('', 32, 'hex')].join('$'),
    'access_token$production',
  ),
  'checkout-key': valueSamples(`sk_${uuid(3)}`, `task_${uuid(3)}`, 'sk_test_id'),
  'adyen-key': valueSamples(`${fake('AQE', 90, 'base64')}==-${fake('', 43, 'base64')}=-${fake('', 16)}`, 'AQE-x'),
  'gocardless-token': valueSamples(fake('live_', 40), 'live_update_of_every_component_in_the_browser'),
})
