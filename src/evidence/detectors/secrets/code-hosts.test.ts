import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { CODE_HOST_RULES } from './code-hosts.ts'

testRules('code hosts', CODE_HOST_RULES, {
  'github-token': {
    found: [
      ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => fake(prefix, 36)),
      ['https://x-access-token:', fake('ghp_', 36), '@github.com/a/b.git'],
      ['"a\\t', fake('ghs_', 36), '"'],
    ],
    clean: [fake('ghp_', 20), `ghp_${'x'.repeat(36)}`, 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', fake('aghp_', 36)],
  },
  'github-pat': {
    found: [`${fake('github_pat_', 22)}_${fake('', 59)}`],
    clean: ['github_pat_prefix', `github_pat_${'a'.repeat(82)}`],
  },
  'gitlab-token': {
    found: [fake('glpat-', 20, 'url'), fake('glrt-', 20), `${fake('glpat-', 27)}.01.${fake('', 9, 'lower')}`],
    clean: [`glpat-${'x'.repeat(20)}`, 'glpat-short', 'single-page-application-something-else'],
  },
  'gitlab-runner-token': { found: [fake('GR1348941', 20)], clean: ['GR1348941'] },
  'atlassian-token': { found: [fake('ATATT3', 180), fake('ATBB', 32)], clean: ['ATATT3short', 'ATBB'] },
  'sourcegraph-token': {
    found: [fake('sgp_', 40, 'hex'), fake('sgp_local_', 40, 'hex')],
    clean: ['sgp_local_host', fake('sgp_', 39, 'hex')],
  },
})
