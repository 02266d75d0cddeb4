import { fake } from '../../../../test/support/fake.ts'
import { testRules, uuid, valueSamples } from '../../../../test/support/secret-samples.ts'
import { APP_RULES } from './apps.ts'

const runOfA = 'A'.repeat(10)

testRules('applications', APP_RULES, {
  '1password-secret-key': valueSamples(
    ['A3', ...[6, 6, 5, 5, 5, 5].map((length, part) => fake('', length, 'upper', part + 3))].join('-'),
    'A3-PAPER-FORMAT',
  ),
  'adafruit-key': valueSamples(fake('aio_', 28), 'aio_write'),
  'adobe-client-secret': valueSamples(fake('p8e-', 32, 'alnum'), 'p8e-mount'),
  'airtable-token': valueSamples(`${fake('pat', 14)}.${fake('', 64, 'hex')}`, 'path.join', 'pattern.exec'),
  'asana-token': valueSamples(`1/${fake('12', 14, 'digits')}:${fake('', 32, 'hex')}`, '1/2', '1/1200:30'),
  'dropbox-token': {
    found: [fake('sl.', 140), `${fake('', 11, 'lower', 3)}${runOfA}${fake('', 43)}`],
    clean: ['sl.append(x)', runOfA.repeat(8)],
  },
  'duffel-token': valueSamples(fake('duffel_test_', 43), 'duffel_test_token'),
  'easypost-key': valueSamples(fake('EZAK', 54), 'EZAK'),
  'facebook-token': {
    found: [
      fake('EAACEdEose0cBA', 150),
      `${fake('9', 14, 'digits')}|${fake('', 27)}`,
      `${fake('9', 15, 'digits')}%7C${fake('', 27)}`,
    ],
    clean: ['EAABody', '123456789012345|name', '| 12 | 15 |', '911602140448729|the-quick-brown-fox-jumps-over-it'],
  },
  'frameio-token': valueSamples(fake('fio-u-', 64), 'fio-u-'),
  'hubspot-token': valueSamples(`pat-na1-${uuid(4)}`, 'pat-na1-'),
  'intercom-token': valueSamples(`dG9rOk${fake('', 54)}=`, 'dG9rOk'),
  'intra42-secret': valueSamples(fake('s-s4t2ud-', 64, 'hex'), 's-s4t2ud-'),
  'lob-secret-key': valueSamples(
    fake('live_', 35, 'hex'),
    'live_reload',
    fake('alive_', 35, 'hex'),
    fake('live_', 36, 'hex'),
  ),
  'klaviyo-key': valueSamples(fake('pk_', 34, 'hex'), 'pk_id', fake('pk_', 40, 'hex')),
  'clickup-token': valueSamples(`${fake('pk_', 8, 'digits')}_${fake('', 32, 'upper')}`, 'pk_8_x'),
  'lob-key': valueSamples(fake('live_pub_', 31, 'hex'), 'live_pub_sub'),
  'maxmind-key': valueSamples(`${fake('', 6)}_${fake('', 29)}_mmk`, 'a_mmk'),
  'mailgun-key': valueSamples(fake('pubkey-', 32, 'hex'), 'pubkey-hex'),
  'notion-token': valueSamples(fake('secret_', 43), 'secret_access_key_for_the_production_database_xy'),
  'okta-token': valueSamples(fake('00aB', 38), fake('00ab', 38, 'hex'), 'x00000000'),
  'plaid-token': valueSamples(`access-sandbox-${uuid(5)}`, 'access-control'),
  'rapidapi-key': valueSamples(
    `${fake('', 10, 'hex')}msh${fake('', 15, 'hex')}p1${fake('', 6, 'hex')}jsn${fake('', 12, 'hex')}`,
    fake('', 50, 'hex'),
  ),
  'readme-key': valueSamples(fake('rdme_', 70, 'lower'), 'rdme_'),
  'brevo-key': valueSamples(`${fake('xkeysib-', 64, 'hex')}-${fake('', 16)}`, 'xkeysib-'),
  'settlemint-token': valueSamples(fake('sm_pat_', 16), 'sm_pat_x'),
  'shippo-token': valueSamples(fake('shippo_live_', 40, 'hex'), 'shippo_live_'),
  'trello-token': valueSamples(`${fake('ATTA', 64, 'hex')}${fake('', 8, 'hex').toUpperCase()}`, 'ATTACHMENT'),
  'twitter-bearer': valueSamples(`${'A'.repeat(22)}${fake('B', 80)}`, 'A'.repeat(120)),
  'typeform-token': valueSamples(fake('tfp_', 59), 'tfp_'),
  'nuget-key': valueSamples(fake('oy2', 43, 'lower'), 'oy2'),
  'apify-token': valueSamples(fake('apify_api_', 36), 'apify_api_token'),
  'resend-key': valueSamples(`${fake('re_', 8)}_${fake('', 24)}`, 're_compile_all'),
  'deepl-key': valueSamples(`${uuid(6)}:fx`, ':fx'),
})
