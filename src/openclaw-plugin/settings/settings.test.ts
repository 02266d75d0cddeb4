import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { SallyportError } from '../../errors/errors.ts'
import { isObject } from '../../protocol/json.ts'
import { manifestText } from '../../../scripts/openclaw-manifest.ts'
import { SETTING_ROWS } from './setting-table.ts'
import { readSettings, recordsFolder } from './settings.ts'

/** Prisma AIRS plugin for OpenClaw 1.0: all its keys. */
const KEYS_OF_1_0 = [
  'api_key',
  'profile_name',
  'app_name',
  'reminder_mode',
  'audit_mode',
  'context_injection_mode',
  'outbound_mode',
  'tool_gating_mode',
  'inbound_block_mode',
  'outbound_block_mode',
  'tool_guard_mode',
  'prompt_scan_mode',
  'tool_redact_mode',
  'llm_audit_mode',
  'tool_audit_mode',
  'fail_closed',
  'dlp_mask_only',
  'high_risk_tools',
]
const KEYS_OF_2_X = ['prompt_scanning', 'response_scanning', 'tool_protection']
const OWN_KEYS = ['data', 'server', 'deadline_ms']

const manifest: unknown = JSON.parse(manifestText('0.0.0'))
const schema = isObject(manifest) && isObject(manifest['configSchema']) ? manifest['configSchema'] : {}
const hostAccepts = new Ajv2020({ strict: false }).compile(schema)

const refusal = (config: unknown): { readonly code: string; readonly message: string } => {
  try {
    readSettings(config)
  } catch (error) {
    if (error instanceof SallyportError) return { code: error.code, message: error.message }
    throw error
  }
  return { code: 'accepted', message: '' }
}

test('every key of 1.0 and of 2.x exists, and ours', () => {
  expect(SETTING_ROWS.map(({ key }) => key).toSorted()).toEqual(
    [...KEYS_OF_1_0, ...KEYS_OF_2_X, ...OWN_KEYS].toSorted(),
  )
})

test('nothing set: everything enabled, automatic, failing closed, in process', () => {
  expect(readSettings(undefined)).toEqual({
    reminder: true,
    modes: {
      'inbound-block': 'deterministic',
      audit: 'deterministic',
      context: 'deterministic',
      'prompt-scan': 'deterministic',
      'tool-guard': 'deterministic',
      tools: 'deterministic',
      'tool-redact': 'deterministic',
      'tool-audit': 'deterministic',
      'outbound-block': 'deterministic',
      outbound: 'deterministic',
      'llm-audit': 'deterministic',
    },
    failClosed: true,
    dlpMaskOnly: true,
    highRiskTools: expect.arrayContaining(
      'exec bash write edit gateway message cron apply_patch process automations'.split(' '),
    ),
    deadlineMs: 8_000,
    scanner: { profileName: 'default', appName: 'openclaw' },
  })
  expect(readSettings({})).toEqual(readSettings(undefined))
})

test('everything set', () => {
  expect(
    readSettings({
      profile_name: 'p',
      app_name: 'a',
      reminder_mode: 'off',
      audit_mode: 'probabilistic',
      tool_guard_mode: 'off',
      fail_closed: false,
      dlp_mask_only: false,
      high_risk_tools: ['Deploy'],
      deadline_ms: 14_000,
      server: { url: 'https://guard.example', tokenEnv: 'GUARD_TOKEN' },
    }),
  ).toMatchObject({
    reminder: false,
    modes: { audit: 'probabilistic', 'tool-guard': 'off', 'inbound-block': 'deterministic' },
    failClosed: false,
    dlpMaskOnly: false,
    highRiskTools: ['Deploy'],
    deadlineMs: 14_000,
    server: { url: 'https://guard.example', tokenEnv: 'GUARD_TOKEN' },
    scanner: { profileName: 'p', appName: 'a' },
  })
})

test('a key for the scanner', () => {
  expect(readSettings({ api_key: 'k' }).scanner).toMatchObject({ apiKey: 'k' })
})

const ACCEPTED: readonly (readonly [name: string, config: Readonly<Record<string, unknown>>])[] = [
  ['probabilistic without failing closed', { fail_closed: false, tool_gating_mode: 'probabilistic' }],
  ['an old key beside a mode that agrees', { prompt_scanning: true, audit_mode: 'deterministic' }],
  ['an old key switched off beside a mode that is off', { tool_protection: false, tool_guard_mode: 'off' }],
  ['an old key beside a mode it does not switch', { tool_protection: false, outbound_mode: 'deterministic' }],
  [
    'an old key beside a mode left to the model',
    {
      prompt_scanning: true,
      audit_mode: 'probabilistic',
      fail_closed: false,
    },
  ],
  ['a server on this machine', { server: { url: 'http://127.0.0.1:4775', tokenFile: '/run/token' } }],
  ['a server on IPv6 loopback', { server: { url: 'http://[::1]:4775' } }],
  ['a server behind a socket', { server: { socket: '/run/guard.sock' } }],
  ['no high-risk tools', { high_risk_tools: [] }],
]

/** `host`: the host's schema refuses it too, before the plugin is loaded. */
const REFUSED: readonly (readonly [
  name: string,
  config: unknown,
  code: string,
  says: readonly string[],
  host: boolean,
])[] = [
  ['no object', [], 'SP_OPENCLAW_SETTING', ['an object'], true],
  [
    'a mode that there is not',
    { audit_mode: 'sometimes' },
    'SP_OPENCLAW_SETTING',
    ['audit_mode', 'deterministic, probabilistic, off'],
    true,
  ],
  [
    'a mode that this protection has not',
    { tool_guard_mode: 'probabilistic', fail_closed: false },
    'SP_OPENCLAW_SETTING',
    ['tool_guard_mode', 'one of deterministic, off'],
    true,
  ],
  ['a mode in the wrong case', { outbound_mode: 'Off' }, 'SP_OPENCLAW_SETTING', ['outbound_mode'], true],
  ['text for a switch', { fail_closed: 'true' }, 'SP_OPENCLAW_SETTING', ['fail_closed', 'true or false'], true],
  ['null', { dlp_mask_only: null }, 'SP_OPENCLAW_SETTING', ['dlp_mask_only'], true],
  ['a deadline outside that of the host', { deadline_ms: 15_000 }, 'SP_OPENCLAW_SETTING', ['100 to 14000'], true],
  ['a deadline that nothing can meet', { deadline_ms: 0 }, 'SP_OPENCLAW_SETTING', ['deadline_ms'], true],
  ['half a millisecond', { deadline_ms: 100.5 }, 'SP_OPENCLAW_SETTING', ['whole number'], true],
  ['one name instead of a list', { high_risk_tools: 'exec' }, 'SP_OPENCLAW_SETTING', ['list of tool names'], true],
  ['an empty name', { high_risk_tools: [''] }, 'SP_OPENCLAW_SETTING', ['high_risk_tools'], true],
  ['an empty key', { api_key: '' }, 'SP_OPENCLAW_SETTING', ['api_key'], true],
  ['a key nearly right', { tool_guard: 'off' }, 'SP_OPENCLAW_KEY', ['tool_guard', 'mean tool_guard_mode?'], true],
  ['a key of an object', { constructor: 'off' }, 'SP_OPENCLAW_KEY', ['constructor'], true],
  [
    'failing closed by default, left to the model',
    { audit_mode: 'probabilistic' },
    'SP_OPENCLAW_CONFLICT',
    ['fail_closed', 'audit_mode'],
    true,
  ],
  [
    'failing closed, left to the model',
    { fail_closed: true, outbound_mode: 'probabilistic' },
    'SP_OPENCLAW_CONFLICT',
    ['outbound_mode'],
    true,
  ],
  [
    'an old key on, a mode of it off',
    { prompt_scanning: true, inbound_block_mode: 'off' },
    'SP_OPENCLAW_CONFLICT',
    ['prompt_scanning', 'inbound_block_mode'],
    true,
  ],
  [
    'an old key off, a mode of it on',
    { response_scanning: false, outbound_mode: 'deterministic' },
    'SP_OPENCLAW_CONFLICT',
    ['response_scanning', 'outbound_mode'],
    true,
  ],
  ['a server that is nowhere', { server: {} }, 'SP_OPENCLAW_SETTING', ['either a url or a socket'], true],
  [
    'a server in two places',
    { server: { url: 'https://a.example', socket: '/s' } },
    'SP_OPENCLAW_SETTING',
    ['either a url or a socket'],
    true,
  ],
  [
    'two tokens',
    { server: { socket: '/s', tokenFile: '/t', tokenEnv: 'T' } },
    'SP_OPENCLAW_SETTING',
    ['only one'],
    true,
  ],
  [
    'a token in the open',
    { server: { url: 'https://a.example', token: 'x' } },
    'SP_OPENCLAW_KEY',
    ['server.token', 'server.tokenEnv'],
    true,
  ],
  ['what is read on the way', { server: { url: 'http://guard.example' } }, 'SP_OPENCLAW_SETTING', ['https:'], false],
  [
    'a name that only looks like this machine',
    { server: { url: 'http://127.0.0.1.evil.example' } },
    'SP_OPENCLAW_SETTING',
    ['https:'],
    false,
  ],
  [
    'a password in the address',
    { server: { url: 'https://u:p@a.example' } },
    'SP_OPENCLAW_SETTING',
    ['without user name'],
    false,
  ],
  ['an address with a path', { server: { url: 'https://a.example/v1' } }, 'SP_OPENCLAW_SETTING', ['path'], false],
  ['no address', { server: { url: 'guard' } }, 'SP_OPENCLAW_SETTING', ['an address'], false],
  ['a socket found from anywhere', { server: { socket: 'guard.sock' } }, 'SP_OPENCLAW_SETTING', ['absolute'], false],
  ['records kept anywhere', { data: 'records' }, 'SP_OPENCLAW_SETTING', ['absolute'], false],
  [
    'a scanner of a guard elsewhere',
    { api_key: 'k', server: { socket: '/s' } },
    'SP_OPENCLAW_CONFLICT',
    ['scanners'],
    true,
  ],
  ['records of a guard elsewhere', { data: '/d', server: { socket: '/s' } }, 'SP_OPENCLAW_CONFLICT', ['records'], true],
]

describe('settings that contradict each other', () => {
  test.each(REFUSED)('%s', (_name, config, code, says, host) => {
    const { code: got, message } = refusal(config)
    expect(got).toBe(code)
    for (const part of says) expect(message).toContain(part)
    expect(hostAccepts(config)).toBe(!host)
  })

  test('an error never contains the value', () => {
    for (const config of [
      { api_key: 7 },
      { server: { url: 'https://me:hunter2@a.example' } },
      { server: { x: 'hunter2' } },
    ])
      expect(refusal(config).message).not.toMatch(/hunter2|\b7\b/)
  })
})

describe('settings that fit together', () => {
  test.each(ACCEPTED)('%s', (_name, config) => {
    expect(refusal(config).code).toBe('accepted')
    expect(hostAccepts(config), JSON.stringify(hostAccepts.errors)).toBe(true)
  })
})

describe('keys of the 2.x line', () => {
  const modesWith = (config: Readonly<Record<string, unknown>>): readonly string[] =>
    Object.entries(readSettings(config).modes)
      .filter(([, mode]) => mode === 'off')
      .map(([protection]) => protection)
  test.each([
    ['prompt_scanning', ['inbound-block', 'audit', 'context', 'prompt-scan']],
    ['response_scanning', ['outbound-block', 'outbound']],
    ['tool_protection', ['tool-guard', 'tools', 'tool-redact', 'tool-audit']],
  ])('%s', (key, switched) => {
    expect(modesWith({ [key]: false }).toSorted()).toEqual(switched.toSorted())
    expect(modesWith({ [key]: true })).toEqual([])
  })
})

test('the host adds no default: omitted keys stay omitted', () => {
  expect(JSON.stringify(schema)).not.toContain('"default"')
})

test('records are in the state folder of the host by default', () => {
  expect(recordsFolder(readSettings({}), '/srv/oc')).toBe('/srv/oc/sallyport')
  expect(recordsFolder(readSettings({ data: '/srv/records' }), '/srv/oc')).toBe('/srv/records')
})
