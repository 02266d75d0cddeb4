import type { KeywordRule } from '../rule.ts'
import { tokenRule } from './token-rules.ts'

const WORD_RIGHT = '(?![A-Za-z0-9_-])'

/** Providers of models. */
export const MODEL_RULES: readonly KeywordRule[] = [
  tokenRule({
    type: 'anthropic-key',
    anchors: ['sk-ant-'],
    pattern: String.raw`sk-ant-(?:api|admin|oat|ort|sid)\d{2}-[A-Za-z0-9_-]{60,200}`,
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'openai-key',
    anchors: ['sk-'],
    pattern: 'sk-(?:[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,250})',
    right: WORD_RIGHT,
  }),
  tokenRule({ type: 'openrouter-key', anchors: ['sk-or-v1-'], pattern: 'sk-or-v1-[a-f0-9]{64}' }),
  // The same form without a mark of its own, as several smaller providers give out.
  tokenRule({
    type: 'model-api-key',
    anchors: ['sk-'],
    pattern: String.raw`sk-(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32,64}`,
    severity: 'high',
    confidence: 0.8,
    entropy: 3.5,
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'huggingface-token',
    anchors: ['hf_', 'api_org_'],
    pattern: '(?:hf|api_org)_[A-Za-z]{34}',
    entropy: 3.5,
  }),
  tokenRule({ type: 'groq-key', anchors: ['gsk_'], pattern: 'gsk_[A-Za-z0-9]{52}' }),
  tokenRule({ type: 'perplexity-key', anchors: ['pplx-'], pattern: 'pplx-[A-Za-z0-9]{48}' }),
  tokenRule({ type: 'xai-key', anchors: ['xai-'], pattern: 'xai-[A-Za-z0-9]{80}' }),
  tokenRule({ type: 'replicate-token', anchors: ['r8_'], pattern: 'r8_[A-Za-z0-9]{37}' }),
]
