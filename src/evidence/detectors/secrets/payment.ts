import type { KeywordRule } from '../rule.ts'
import { tokenRule } from './token-rules.ts'

/** Payment and shops. Keys of test systems move no money. */
export const PAYMENT_RULES: readonly KeywordRule[] = [
  tokenRule({ type: 'stripe-key', anchors: ['sk_live_', 'rk_live_'], pattern: '[sr]k_live_[A-Za-z0-9]{16,247}' }),
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
    anchors: ['sq0csp-', 'sq0atp-'],
    pattern: 'sq0(?:csp-[A-Za-z0-9_-]{43}|atp-[A-Za-z0-9_-]{22})',
  }),
]
