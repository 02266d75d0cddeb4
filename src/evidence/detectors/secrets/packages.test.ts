import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { PACKAGE_RULES } from './packages.ts'

testRules('packages', PACKAGE_RULES, {
  'npm-token': {
    found: [fake('npm_', 36), ['//registry/:_authToken=', `${fake('', 8, 'hex')}-${fake('', 24, 'hex')}`, '\n']],
    clean: ['npm_config_registry', '//registry/:_authToken=${NPM_TOKEN}', 'npm_lifecycle_event_and_a_long_name_here_x'],
  },
  'pypi-token': { found: [fake(['pypi-AgEIcHlwaS5', 'vcmc'].join(''), 120, 'url', 3)], clean: ['pypi-AgEI'] },
  'rubygems-token': { found: [fake('rubygems_', 48, 'hex')], clean: ['rubygems_api_key'] },
  'clojars-token': { found: [fake('CLOJARS_', 60, 'hex')], clean: ['CLOJARS_USERNAME'] },
  'docker-token': { found: [fake('dckr_pat_', 27)], clean: ['dckr_pat_token'] },
  'artifactory-token': { found: [fake('AKCp', 69), fake('cmVmd', 59)], clean: [fake('AKCp', 20), fake('cmVmd', 20)] },
})
