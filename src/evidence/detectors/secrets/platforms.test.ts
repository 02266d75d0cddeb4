import { fake } from '../../../../test/support/fake.ts'
import { testRules, uuid, valueSamples } from '../../../../test/support/secret-samples.ts'
import { PLATFORM_RULES } from './platforms.ts'

testRules('platforms', PLATFORM_RULES, {
  'alibaba-access-key': valueSamples(fake('LTAI', 20), 'LTAI5t', `XLTAI${fake('', 20)}`),
  'yandex-key': {
    found: [fake('AQVN', 36), ['token: ', `t1.${fake('', 180)}.${fake('', 86)}`, '\n'], fake('YCA', 37, 'alnum', 3)],
    clean: ['AQVN', 't1.a.b', `YCA${'x'.repeat(37)}`],
  },
  'dynatrace-token': valueSamples(`dt0c01.${fake('', 24, 'upper')}.${fake('', 64, 'upper')}`, 'dt0c01.sample'),
  'harness-key': valueSamples(`pat.${fake('', 22)}.${fake('', 24, 'hex')}.${fake('', 20)}`, 'pat.me.on.the.back'),
  'infracost-key': valueSamples(
    fake('ico-', 32),
    'ico-file',
    `favicon.${fake('ico-', 32, 'hex')}`,
    fake('http-ico-', 8),
  ),
  'octopus-key': valueSamples(fake('API-', 26, 'upper'), 'API-KEY', 'API-REFERENCE-DOCUMENTATION'),
  'openshift-token': valueSamples(fake('sha256~', 43, 'alnum'), fake('sha256:', 43), 'sha256~'),
  'prefect-key': valueSamples(fake('pnu_', 36, 'lower'), 'pnu_key'),
  'scalingo-token': valueSamples(fake('tk-us-', 48), 'tk-us-east'),
  'defined-networking-key': valueSamples(`dnkey-${fake('', 26, 'lower')}-${fake('', 52, 'lower')}`, 'dnkey-a-b'),
  'clickhouse-key': valueSamples(fake('4b1d', 38), fake('4b1d', 36, 'hex')),
  'authress-key': valueSamples(
    `sc_${fake('', 10, 'lower')}.${fake('', 4, 'lower')}.acc-${fake('', 12, 'lower')}.${fake('', 50)}`,
    'sc_name.part.acc',
  ),
  'launchdarkly-key': valueSamples(`sdk-${uuid(3)}`, 'sdk-1.2.3', 'api-gateway'),
  'contentful-token': valueSamples(fake('CFPAT-', 43), 'CFPAT-'),
  'sonar-token': valueSamples(fake('squ_', 40, 'hex'), 'squ_are'),
  'newrelic-insert-key': {
    found: [fake('NRII-', 32), fake('NRJS-', 19, 'hex'), fake('NRAA-', 27, 'hex')],
    clean: ['NRII-', 'NRJS-agent'],
  },
  'grafana-token': valueSamples(fake('eyJrIjoi', 92), 'eyJrIjoi'),
  'mapbox-token': valueSamples(`sk.${fake('eyJ', 60)}.${fake('', 22)}`, 'pk.eyJ'),
  'vercel-token': {
    found: [fake('vcp_', 56), `vercel_blob_rw_${fake('', 16)}_${fake('', 32)}`],
    clean: ['vcp_token', 'vercel_blob_rw_token'],
  },
  'render-key': valueSamples(fake('rnd_', 32), 'rnd_seed_for_all_the_generators_x'),
  'neon-key': valueSamples(fake('napi_', 64, 'lower'), 'napi_value', 'napi_create_function'),
  'xata-key': valueSamples(fake('xau_', 40), 'xau_'),
  'supabase-token': valueSamples(`${fake('sb_secret_', 22)}_${fake('', 8)}`, 'sb_secret_key'),
  'buildkite-token': valueSamples(fake('bkua_', 40, 'hex'), 'bkua_'),
  'circleci-token': valueSamples(`CCIPAT_${fake('', 22)}_${fake('', 40, 'hex')}`, 'CCIPAT_x_y'),
  'cloudsmith-key': valueSamples(fake('csa_', 40), 'csa_'),
  'ngrok-token': valueSamples(fake('ak_2', 26), 'ak_2nd'),
  'gitlab-session': valueSamples(fake('_gitlab_session=', 32, 'lower'), '_gitlab_session=x'),
  'tencent-secret-id': valueSamples(fake('AKID', 32), 'AKID', fake('AKID', 30)),
  'honeycomb-key': valueSamples(fake('hcaik_', 58, 'lower'), 'hcaik_'),
  'teamcity-token': valueSamples(
    `${btoa('{"typ": "TCV2"}')}.${fake('', 36)}.${fake('', 48)}`,
    `${btoa('{"typ": "TCV2"}')}.a.b`,
  ),
  'posthog-key': valueSamples(fake('phx_', 43), 'phx_web'),
})
