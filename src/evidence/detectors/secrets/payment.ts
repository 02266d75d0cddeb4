import type { KeywordRule } from '../rule.ts'
import { WORD_RIGHT, tokenRule } from './token-rules.ts'

/** Payment and shops. Keys of test systems move no money. */
export const PAYMENT_RULES: readonly KeywordRule[] = [
  tokenRule({
    type: 'stripe-key',
    anchors: ['sk_live_', 'rk_live_', 'sk_prod_', 'rk_prod_'],
    pattern: '[sr]k_(?:live|prod)_[A-Za-z0-9]{16,247}',
  }),
  tokenRule({
    type: 'stripe-test-key',
    anchors: ['sk_test_', 'rk_test_'],
    pattern: '[sr]k_test_[A-Za-z0-9]{16,247}',
    severity: 'low',
  }),
  tokenRule({
    type: 'stripe-webhook-secret',
    anchors: ['whsec_'],
    pattern: 'whsec_[A-Za-z0-9+/]{32,88}={0,2}',
    severity: 'high',
  }),
  tokenRule({
    type: 'shopify-token',
    anchors: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    pattern: 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
  }),
  tokenRule({
    type: 'square-token',
    anchors: ['sq0csp-', 'sq0atp-', 'sq0idp-', 'eaaa'],
    pattern: '(?:sq0(?:csp-[A-Za-z0-9_-]{43}|atp-[A-Za-z0-9_-]{22,60}|idp-[A-Za-z0-9_-]{22})|EAAA[A-Za-z0-9_-]{60})',
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'flutterwave-key',
    anchors: ['flwseck', 'flwpubk'],
    pattern: 'FLW(?:SEC|PUB)K(?:_TEST|_LIVE)?-(?:[a-h0-9]{32}-X|[a-h0-9]{12})',
    severity: 'high',
    entropy: 2.5,
  }),
  tokenRule({ type: 'razorpay-key', anchors: ['rzp_live_'], pattern: 'rzp_live_[A-Za-z0-9]{14,24}', severity: 'high' }),
  tokenRule({
    type: 'braintree-token',
    anchors: ['access_token$'],
    pattern: String.raw`access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}`,
  }),
  tokenRule({
    type: 'checkout-key',
    anchors: ['sk_'],
    pattern: 'sk_(?:test_|sbox_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
    severity: 'high',
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'adyen-key',
    anchors: ['aqe'],
    pattern: String.raw`AQE[A-Za-z0-9+/]{40,200}={0,2}-[A-Za-z0-9+/]{40,60}={0,2}-[^\s"'\`,;<>\\]{8,40}`,
    entropy: 4,
    right: '',
  }),
  tokenRule({
    type: 'gocardless-token',
    anchors: ['live_', 'sandbox_'],
    pattern: '(?:live|sandbox)_(?=[A-Za-z_-]{0,39}\\d)[A-Za-z0-9_=-]{40}',
    entropy: 4,
    confidence: 0.8,
    severity: 'high',
    right: '(?![A-Za-z0-9_=-])',
  }),
]
