import type { KeywordRule } from '../rule.ts'
import { WORD_RIGHT, tokenRule } from './token-rules.ts'

/** Model providers. */
export const MODEL_RULES: readonly KeywordRule[] = [
  tokenRule({
    type: 'anthropic-key',
    anchors: ['sk-ant-'],
    // Keys of both APIs have 95 characters and end in AA, by their encoding; sessions vary.
    pattern: String.raw`sk-ant-(?:(?:api|admin)\d{2}-[A-Za-z0-9_-]{93}AA|(?:oat|ort|sid)\d{2}-[A-Za-z0-9_-]{60,200})`,
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'openai-key',
    anchors: ['sk-'],
    pattern: 'sk-(?:[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,250})',
    right: WORD_RIGHT,
  }),
  tokenRule({ type: 'openrouter-key', anchors: ['sk-or-v1-'], pattern: 'sk-or-v1-[a-f0-9]{64}' }),
  // The same form without a mark of its own, as issued by several smaller providers.
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
  tokenRule({ type: 'cerebras-key', anchors: ['csk-'], pattern: 'csk-[a-z0-9]{48}', entropy: 3.5 }),
  tokenRule({ type: 'nvidia-key', anchors: ['nvapi-'], pattern: 'nvapi-[A-Za-z0-9_-]{60,70}', right: WORD_RIGHT }),
  tokenRule({ type: 'jina-key', anchors: ['jina_'], pattern: 'jina_[A-Za-z0-9_-]{50,64}', right: WORD_RIGHT }),
  tokenRule({ type: 'voyage-key', anchors: ['pa-'], pattern: 'pa-[A-Za-z0-9_-]{43}', entropy: 4, right: WORD_RIGHT }),
  tokenRule({
    type: 'pinecone-key',
    anchors: ['pcsk_'],
    pattern: 'pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{50,70}',
    entropy: 3.5,
  }),
  tokenRule({
    type: 'langsmith-key',
    anchors: ['lsv2_'],
    pattern: 'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}',
  }),
  tokenRule({
    type: 'langfuse-key',
    anchors: ['sk-lf-'],
    pattern: 'sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
    right: WORD_RIGHT,
  }),
  tokenRule({ type: 'tavily-key', anchors: ['tvly-'], pattern: 'tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}', entropy: 3.5 }),
  tokenRule({ type: 'firecrawl-key', anchors: ['fc-'], pattern: 'fc-[a-f0-9]{32}', right: WORD_RIGHT }),
  tokenRule({
    type: 'fireworks-key',
    anchors: ['fw_'],
    pattern: 'fw_(?=[A-Za-z]{0,23}\\d)(?=[a-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}',
    entropy: 3.8,
    confidence: 0.8,
  }),
  tokenRule({ type: 'elevenlabs-key', anchors: ['sk_'], pattern: 'sk_[a-f0-9]{48}', right: WORD_RIGHT }),
]
