import type { KeywordRule } from '../rule.ts'
import { isPlaceholder } from './placeholder.ts'
import { WORD_RIGHT, tokenRule } from './token-rules.ts'

/** Package registries and image registries. */
export const PACKAGE_RULES: readonly KeywordRule[] = [
  tokenRule({ type: 'npm-token', anchors: ['npm_'], pattern: 'npm_[A-Za-z0-9]{36}' }),
  {
    type: 'npm-token',
    severity: 'critical',
    confidence: 0.9,
    anchors: ['_authtoken', '_auth='],
    pattern: String.raw`_auth(?:Token)?[ \t]{0,2}=[ \t]{0,2}["']?([A-Za-z0-9_+/.-]{16,512}={0,2})`,
    ignoreCase: true,
    entropy: 3,
    assess: ({ value }) => (isPlaceholder(value) ? undefined : 0.9),
  },
  tokenRule({
    type: 'pypi-token',
    anchors: ['pypi-ageichlwas5vcmc'],
    pattern: 'pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,1000}',
    right: WORD_RIGHT,
  }),
  tokenRule({ type: 'rubygems-token', anchors: ['rubygems_'], pattern: 'rubygems_[a-f0-9]{48}' }),
  tokenRule({ type: 'clojars-token', anchors: ['clojars_'], pattern: 'CLOJARS_[a-f0-9]{60}' }),
  tokenRule({
    type: 'docker-token',
    anchors: ['dckr_pat_', 'dckr_oat_'],
    pattern: 'dckr_[po]at_[A-Za-z0-9_-]{27,64}',
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'artifactory-token',
    anchors: ['akcp', 'cmvmd'],
    pattern: '(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})',
  }),
]
