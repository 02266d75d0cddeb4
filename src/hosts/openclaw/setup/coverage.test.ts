import { describe, expect, test } from 'vitest'
import { DEFAULTS } from '../../../openclaw-plugin/settings/setting-table.ts'
import { coverageOf, DEADLINE_MS } from './coverage.ts'

const configured = (entry: object, plugins: object = {}, rest: object = {}) => ({
  plugins: { entries: { sallyport: { enabled: true, ...entry } }, ...plugins },
  ...rest,
})
const ACCESS = { hooks: { allowConversationAccess: true } }
const WHOLE = ['ok', 'ok', 'gap']

describe('the coverage of the guard', () => {
  test.each([
    { name: 'as it is installed', config: configured(ACCESS), outcomes: WHOLE, found: 'agent exec' },
    { name: 'no entry', config: {}, outcomes: ['fault', 'fault', 'gap'], found: 'not enabled' },
    {
      name: 'plugins disabled',
      config: configured(ACCESS, { enabled: false }),
      outcomes: ['fault', 'ok', 'gap'],
      found: 'are disabled',
    },
    {
      name: 'denied',
      config: configured(ACCESS, { deny: ['sallyport'] }),
      outcomes: ['fault', 'ok', 'gap'],
      found: 'plugins.deny',
    },
    {
      name: 'not allowed',
      config: configured(ACCESS, { allow: ['x'] }),
      outcomes: ['fault', 'ok', 'gap'],
      found: 'plugins.allow',
    },
    {
      name: 'an empty list, which allows all',
      config: configured(ACCESS, { allow: [] }),
      outcomes: WHOLE,
      found: 'enabled',
    },
    {
      name: 'denied in capitals, which the host treats as the same',
      config: configured(ACCESS, { deny: ['SallyPort'] }),
      outcomes: ['fault', 'ok', 'gap'],
      found: 'plugins.deny',
    },
    {
      name: 'an entry in capitals',
      config: { plugins: { entries: { SallyPort: { enabled: true, ...ACCESS } } } },
      outcomes: WHOLE,
      found: 'enabled',
    },
    {
      name: 'plugins in another file',
      config: configured(ACCESS, { $include: './plugins.json5' }),
      outcomes: ['gap', ...WHOLE],
      found: 'includes other files',
    },
    { name: 'allowed', config: configured(ACCESS, { allow: ['sallyport'] }), outcomes: WHOLE, found: 'enabled' },
    {
      name: 'no access',
      config: configured({}),
      outcomes: ['ok', 'fault', 'gap'],
      found: 'may not read conversations',
    },
    {
      name: 'no prompts',
      config: configured({ hooks: { allowConversationAccess: true, allowPromptInjection: false } }),
      outcomes: ['ok', 'ok', 'fault', 'gap'],
      found: 'may not add to prompts',
    },
    {
      name: 'too little time for one hook',
      config: configured({ hooks: { allowConversationAccess: true, timeouts: { message_sending: 500 } } }),
      outcomes: ['ok', 'ok', 'fault', 'gap'],
      found: 'message_sending 500 ms',
    },
    {
      name: 'too little time for all',
      config: configured({ hooks: { allowConversationAccess: true, timeoutMs: 500 } }),
      outcomes: ['ok', 'ok', 'fault', 'fault', 'fault', 'fault', 'gap'],
      found: 'before_dispatch 500 ms',
    },
    {
      name: 'another harness for a provider',
      config: configured(ACCESS, {}, { models: { providers: { openai: { agentRuntime: { id: 'codex' } } } } }),
      outcomes: ['ok', 'ok', 'gap', 'gap'],
      found: 'models.providers.openai runs its model with codex',
    },
    {
      name: 'a gateway on another machine',
      config: configured(ACCESS, {}, { gateway: { mode: 'remote' } }),
      outcomes: ['ok', 'ok', 'gap', 'gap'],
      found: 'runs on another machine',
    },
    {
      name: 'its own loop, named explicitly',
      config: configured(
        ACCESS,
        {},
        {
          agents: { defaults: { models: { 'vllm/*': { agentRuntime: { id: 'openclaw' } } } } },
        },
      ),
      outcomes: WHOLE,
      found: 'enabled',
    },
  ])('$name', ({ config, outcomes, found }) => {
    const checks = coverageOf(config, { id: 'sallyport', deadlineMs: 8_000 })
    expect(checks.map(({ outcome }) => outcome)).toEqual(outcomes)
    expect(checks.map((check) => check.found).join('\n')).toContain(found)
  })

  test('the deadline is that of the plugin', () => {
    expect(DEADLINE_MS).toBe(DEFAULTS.deadline_ms)
  })
})
