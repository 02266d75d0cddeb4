import type { KeywordRule } from '../rule.ts'
import { WORD_RIGHT, tokenRule } from './token-rules.ts'

/** Prefixes of GitLab's tokens, by purpose. */
const GITLAB = [
  'glpat',
  'gldt',
  'glft',
  'glsoat',
  'glrt',
  'glrtr',
  'glcbt',
  'glptt',
  'glffct',
  'glimt',
  'glagent',
  'gloas',
  'glwt',
]

/** Code hosts: GitHub, GitLab, Bitbucket and Atlassian, Sourcegraph. */
export const CODE_HOST_RULES: readonly KeywordRule[] = [
  tokenRule({
    type: 'github-token',
    anchors: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: 'gh[pousr]_[A-Za-z0-9_]{36,255}',
  }),
  tokenRule({ type: 'github-pat', anchors: ['github_pat_'], pattern: 'github_pat_[A-Za-z0-9_]{22,255}' }),
  tokenRule({
    type: 'gitlab-token',
    anchors: GITLAB.map((prefix) => `${prefix}-`),
    pattern: String.raw`gl[a-z]{2,5}-[A-Za-z0-9_-]{20,300}(?:\.[a-z0-9]{2}\.[a-z0-9]{7,9})?`,
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'gitlab-runner-token',
    anchors: ['gr1348941'],
    pattern: 'GR1348941[A-Za-z0-9_-]{20}',
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'atlassian-token',
    anchors: ['atatt3', 'atctt3', 'atbb'],
    pattern: '(?:AT[AC]TT3[A-Za-z0-9_=-]{60,300}|ATBB[A-Za-z0-9]{32})',
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'sourcegraph-token',
    anchors: ['sgp_'],
    pattern: 'sgp_(?:(?:[A-Fa-f0-9]{16}|local)_)?[A-Fa-f0-9]{40}',
  }),
]
