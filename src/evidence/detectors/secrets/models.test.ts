import { fake } from '../../../../test/support/fake.ts'
import { testRules, uuid, valueSamples } from '../../../../test/support/secret-samples.ts'
import { MODEL_RULES } from './models.ts'

const mark = ['T3Blbk', 'FJ'].join('')

testRules('models', MODEL_RULES, {
  'anthropic-key': {
    found: [
      `${fake('sk-ant-api03-', 93, 'url')}AA`,
      `${fake('sk-ant-admin01-', 93)}AA`,
      ['x-api-key: ', fake('sk-ant-oat01-', 95), '\n'],
    ],
    clean: ['sk-ant-api03-...', `sk-ant-api03-${'x'.repeat(95)}`, 'sk-ant-your-key', fake('sk-ant-api03-', 80)],
  },
  'openai-key': {
    found: [
      `sk-${fake('', 20)}${mark}${fake('', 20)}`,
      `sk-proj-${fake('', 74)}${mark}${fake('', 74)}`,
      fake('sk-svcacct-', 100),
      ['OPENAI_API_KEY=', `sk-${fake('', 20)}${mark}${fake('', 20)}`, '\n'],
    ],
    clean: ['sk-proj-your-project-key-goes-here-and-is-long-enough', 'sk-xxxx', fake('task-', 48)],
  },
  'openrouter-key': { found: [fake('sk-or-v1-', 64, 'hex')], clean: ['sk-or-v1-key'] },
  'model-api-key': { found: [fake('sk-', 32, 'lower')], clean: [fake('disk-', 32, 'lower'), `sk-${'a1'.repeat(20)}`] },
  'huggingface-token': {
    found: [fake('hf_', 34, 'letters')],
    clean: ['hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'hf_hub_download'],
  },
  'groq-key': { found: [fake('gsk_', 52)], clean: ['gsk_key'] },
  'perplexity-key': { found: [fake('pplx-', 48)], clean: ['pplx-7b-chat'] },
  'xai-key': { found: [fake('xai-', 80)], clean: ['xai-grok'] },
  'replicate-token': { found: [fake('r8_', 37)], clean: ['r8_unorm'] },
  'cerebras-key': valueSamples(fake('csk-', 48, 'lower'), 'csk-key'),
  'nvidia-key': valueSamples(fake('nvapi-', 64), 'nvapi-key'),
  'jina-key': valueSamples(fake('jina_', 60), 'jina_embeddings'),
  'voyage-key': valueSamples(fake('pa-', 43), 'pa-sentence-that-is-long-enough-to-be-one-of-them'),
  'pinecone-key': valueSamples(`${fake('pcsk_', 6)}_${fake('', 63)}`, 'pcsk_'),
  'langsmith-key': valueSamples(`${fake('lsv2_pt_', 32, 'hex')}_${fake('', 10, 'hex')}`, 'lsv2_pt_'),
  'langfuse-key': valueSamples(`sk-lf-${uuid(2)}`, 'sk-lf-'),
  'tavily-key': valueSamples(fake('tvly-', 32), 'tvly-key'),
  'firecrawl-key': valueSamples(fake('fc-', 32, 'hex'), 'fc-list'),
  'fireworks-key': valueSamples(fake('fw_', 24), 'fw_version_of_this_device', fake('fw_', 24, 'lower')),
  'elevenlabs-key': valueSamples(fake('sk_', 48, 'hex'), 'sk_buff'),
})
