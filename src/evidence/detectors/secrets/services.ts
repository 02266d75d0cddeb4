import type { KeywordRule } from '../rule.ts'
import { isTokenPlaceholder } from './placeholder.ts'
import { LEFT, RIGHT, WORD_RIGHT, tokenRule } from './token-rules.ts'

/** Services with tokens of their own form, a row each. */
export const SERVICE_RULES: readonly KeywordRule[] = [
  tokenRule({
    type: 'sendgrid-key',
    anchors: ['sg.'],
    pattern: String.raw`SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}`,
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'twilio-key',
    anchors: Array.from('0123456789abcdef', (hex) => `sk${hex}`),
    pattern: 'SK[a-f0-9]{32}',
  }),
  tokenRule({
    type: 'digitalocean-token',
    anchors: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    pattern: 'do[opr]_v1_[a-f0-9]{64}',
  }),
  tokenRule({ type: 'heroku-key', anchors: ['hrku-'], pattern: 'HRKU-[A-Za-z0-9_-]{36,64}', right: WORD_RIGHT }),
  {
    type: 'datadog-key',
    severity: 'critical',
    confidence: 0.9,
    anchors: [
      'dd_api_key',
      'dd-api-key',
      'dd_app_key',
      'dd-app',
      'dd-application-key',
      'dd_application_key',
      'datadog',
    ],
    pattern: String.raw`(?:dd|datadog)[A-Za-z_.-]{0,8}(?:api|app|application)[_-]?key[\\"']{0,4}[ \t]{0,4}[=:][ \t]{0,4}[\\"']{0,4}([a-f0-9]{40}|[a-f0-9]{32})${RIGHT}`,
    ignoreCase: true,
    entropy: 3,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.9),
  },
  tokenRule({
    type: 'vault-token',
    anchors: ['hvs.', 'hvb.', 'hvr.'],
    pattern: String.raw`hv[sbr]\.[A-Za-z0-9_-]{24,300}`,
    right: WORD_RIGHT,
  }),
  {
    // The old form is short; it counts only next to the word Vault or token.
    type: 'vault-token',
    severity: 'critical',
    confidence: 0.8,
    anchors: ['vault', 'token'],
    pattern: String.raw`(?:vault|token)[A-Za-z_-]{0,12}[\\"']{0,4}[ \t]{0,2}[=: ][ \t]{0,2}[\\"']{0,4}(s\.(?=[A-Za-z]{0,23}\d)(?=[A-Z0-9]{0,23}[a-z])[A-Za-z0-9]{24})${RIGHT}`,
    ignoreCase: true,
    entropy: 3.5,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.8),
  },
  tokenRule({
    type: 'databricks-token',
    anchors: ['dapi'],
    pattern: String.raw`dapi[a-f0-9]{32}(?:-\d)?`,
    right: WORD_RIGHT,
  }),
  {
    type: 'mailchimp-key',
    severity: 'high',
    confidence: 0.9,
    anchors: ['-us'],
    before: 32,
    pattern: String.raw`${LEFT}([a-f0-9]{32}-us\d{1,2})${RIGHT}`,
    entropy: 3,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.9),
  },
  tokenRule({
    type: 'mailgun-key',
    anchors: ['key-'],
    pattern: 'key-[a-f0-9]{32}',
    confidence: 0.8,
    right: WORD_RIGHT,
  }),
  tokenRule({ type: 'notion-token', anchors: ['ntn_'], pattern: 'ntn_[0-9]{11}[A-Za-z0-9]{35}' }),
  tokenRule({ type: 'figma-token', anchors: ['figd_'], pattern: 'figd_[A-Za-z0-9_-]{40,64}', right: WORD_RIGHT }),
  tokenRule({
    type: 'linear-key',
    anchors: ['lin_api_', 'lin_oauth_'],
    pattern: 'lin_(?:api_[A-Za-z0-9]{40}|oauth_[a-f0-9]{64})',
  }),
  tokenRule({
    type: 'doppler-token',
    anchors: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    pattern: String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,80}`,
  }),
  tokenRule({ type: 'postman-key', anchors: ['pmak-'], pattern: 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}' }),
  tokenRule({ type: 'newrelic-key', anchors: ['nrak-'], pattern: 'NRAK-[A-Z0-9]{27}' }),
  tokenRule({
    type: 'grafana-token',
    anchors: ['glsa_', 'glc_'],
    pattern: '(?:glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})',
  }),
  tokenRule({
    type: 'sentry-token',
    anchors: ['sntrys_', 'sntryu_'],
    pattern: 'sntry(?:u_[a-f0-9]{64}|s_[A-Za-z0-9+/=_-]{60,400})',
  }),
  tokenRule({ type: 'pulumi-token', anchors: ['pul-'], pattern: 'pul-[a-f0-9]{40}' }),
  tokenRule({
    type: 'terraform-token',
    anchors: ['.atlasv1.'],
    before: 14,
    pattern: String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}`,
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'fly-token',
    anchors: ['fo1_', 'fm1_', 'fm2_'],
    pattern: '(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,2000}={0,3})',
    right: WORD_RIGHT,
  }),
  tokenRule({ type: 'supabase-token', anchors: ['sbp_'], pattern: 'sbp_[a-f0-9]{40}' }),
  tokenRule({ type: 'netlify-token', anchors: ['nfp_'], pattern: 'nfp_[A-Za-z0-9]{36}' }),
  tokenRule({
    type: 'planetscale-token',
    anchors: ['pscale_'],
    pattern: 'pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_=.-]{32,64}',
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'tailscale-key',
    anchors: ['tskey-'],
    pattern: 'tskey-[a-z]{2,12}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{20,64}',
  }),
  tokenRule({
    type: '1password-token',
    anchors: ['ops_eyj'],
    pattern: 'ops_eyJ[A-Za-z0-9+/]{250,8000}={0,3}',
    right: '(?![A-Za-z0-9+/=])',
  }),
  tokenRule({
    // Global key, token of a user, token of an account.
    type: 'cloudflare-token',
    anchors: ['cfk_', 'cfut_', 'cfat_'],
    pattern: 'cf(?:k|ut|at)_[A-Za-z0-9]{40,60}',
    entropy: 3.5,
  }),
  tokenRule({
    type: 'cloudflare-origin-key',
    anchors: ['v1.0-'],
    pattern: String.raw`v1\.0-[a-f0-9]{24}-[a-f0-9]{146}`,
  }),
]
