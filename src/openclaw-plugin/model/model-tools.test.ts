import { describe, expect, test } from 'vitest'
import type { FindingCategory, Severity } from '../../protocol/evidence.ts'
import type { Decision } from '../../protocol/verdict.ts'
import type { ScanText } from '../scan/requested-scan.ts'
import type { AgentTool, ToolRegistration } from '../host/host-api.ts'
import { createModelTool, registerModelTools } from './model-tools.ts'
import type { ModelToolName } from '../settings/modes.ts'
import { createScanCache } from '../scan/scan-cache.ts'
import { scanResultOf } from '../scan/scan-result.ts'
import { readSettings } from '../settings/settings.ts'

interface Said {
  readonly decision: Decision
  readonly category?: FindingCategory
  readonly severity?: Severity
  readonly text?: string
}

/** A scan with a table of results by text; any other text is safe. */
const scanSaying =
  (table: Readonly<Record<string, Said>>): ScanText =>
  ({ content, text, session }) => {
    const { decision, category, severity = 'high', text: changed } = table[text] ?? { decision: 'allow' as const }
    return Promise.resolve(
      scanResultOf({
        content,
        verdict: {
          decision,
          reasonCodes: [],
          findings: category === undefined ? [] : [{ category, type: 't', severity }],
        },
        ...(changed === undefined ? {} : { text: changed }),
        scanId: `scan of ${text}`,
        reportId: 'r',
        profileName: 'default',
        sessionId: session,
        latencyMs: 1,
      }),
    )
  }

const EVIL: Said = { decision: 'deny', category: 'prompt_injection' }
const TABLE: Readonly<Record<string, Said>> = {
  evil: EVIL,
  leak: { decision: 'modify', category: 'secret', text: 'the [secret]' },
  'refused leak': { decision: 'deny', category: 'secret' },
  rude: { decision: 'ask', category: 'toxic_content', severity: 'medium' },
  odd: { decision: 'allow', category: 'toxic_content', severity: 'low' },
}

const parts = (config: Readonly<Record<string, unknown>> = {}, scan: ScanText = scanSaying(TABLE)) => ({
  scan,
  cache: createScanCache({ now: () => 0 }),
  settings: readSettings({ fail_closed: false, ...config }),
})

const call = async (tool: AgentTool, params: unknown): Promise<unknown> => {
  const { content, details } = await tool.execute('call_1', params)
  const answer: unknown = JSON.parse(content[0]?.text ?? 'null')
  expect(content).toHaveLength(1)
  expect(answer).toEqual(JSON.parse(JSON.stringify(details)))
  return answer
}

const ask = (name: ModelToolName, params: unknown, made = parts(), session: string | undefined = 'agent:main:u1') =>
  call(createModelTool(name, made, session), params)

describe('sallyport_scan', () => {
  test('the whole result of a prompt', async () => {
    expect(await ask('sallyport_scan', { prompt: 'evil' })).toMatchObject({
      action: 'block',
      severity: 'CRITICAL',
      categories: ['prompt_injection'],
      scanId: 'scan of evil',
      sessionId: 'agent:main:u1',
      promptDetected: { injection: true },
      source: 'sallyport',
    })
  })

  test('of an exchange: the more severe of the two sides', async () => {
    expect(await ask('sallyport_scan', { prompt: 'hello', response: 'leak' })).toMatchObject({
      action: 'warn',
      masked: true,
      severity: 'HIGH',
      categories: ['dlp_response'],
      responseDetected: { dlp: true },
      responseMaskedData: { data: 'the [secret]' },
    })
    expect(await ask('sallyport_scan', { prompt: 'evil', response: 'leak' })).toMatchObject({
      action: 'block',
      decision: 'deny',
      masked: false,
      categories: ['prompt_injection', 'dlp_response'],
      promptDetected: { injection: true },
      responseDetected: { dlp: true },
    })
    expect(await ask('sallyport_scan', { prompt: 'a', response: 'b' })).toMatchObject({ categories: ['safe'] })
  })
})

describe('sallyport_scan_prompt', () => {
  test('a short answer, stored for the check of tools', async () => {
    const made = parts()
    expect(await ask('sallyport_scan_prompt', { prompt: 'evil' }, made)).toEqual({
      action: 'block',
      severity: 'CRITICAL',
      categories: ['prompt_injection'],
      scanId: 'scan of evil',
      recommendation: expect.stringContaining('Do not act on it.'),
    })
    expect(made.cache.getIfMatch('agent:main:u1', 'evil')?.scanId).toBe('scan of evil')
    expect(await ask('sallyport_check_tool_safety', { toolName: 'exec' }, made)).toMatchObject({ allowed: false })
  })

  test('no threat', async () => {
    expect(await ask('sallyport_scan_prompt', { prompt: 'hello' })).toMatchObject({
      action: 'allow',
      severity: 'SAFE',
      categories: ['safe'],
      recommendation: 'Continue.',
    })
  })

  test('a later scan of a safe text does not remove the finding', async () => {
    const made = parts()
    await ask('sallyport_scan_prompt', { prompt: 'evil' }, made)
    await ask('sallyport_scan_prompt', { prompt: 'hello' }, made)
    expect(made.cache.get('agent:main:u1')?.action).toBe('block')
  })

  test('the model cannot write into another session', async () => {
    const made = parts()
    await ask('sallyport_scan_prompt', { prompt: 'evil', sessionId: 'agent:main:other' }, made)
    expect([made.cache.get('agent:main:other'), made.cache.get('agent:main:u1')?.action]).toEqual([undefined, 'block'])
  })

  test.each([
    ['the one it names', { prompt: 'evil', sessionId: 'mine' }, 'mine'],
    ['one for all', { prompt: 'evil' }, 'tool-scan'],
  ])('when the host names no session: %s', async (_name, params, session) => {
    const made = parts()
    await call(createModelTool('sallyport_scan_prompt', made), params)
    expect(made.cache.get(session)?.action).toBe('block')
  })
})

describe('sallyport_scan_response', () => {
  test.each([
    ['hello', {}, { action: 'allow' }],
    ['leak', {}, { action: 'mask', maskedResponse: 'the [secret]', categories: ['dlp_response'] }],
    ['leak', { dlp_mask_only: false }, { action: 'block', categories: ['dlp_response'] }],
    ['refused leak', {}, { action: 'block' }],
    ['rude', {}, { action: 'warn', severity: 'MEDIUM', categories: ['toxic_content_response'] }],
    ['odd', {}, { action: 'warn', severity: 'LOW' }],
    ['evil', {}, { action: 'block' }],
  ] as const)('%s, %o', async (response, config, answer) => {
    expect(await ask('sallyport_scan_response', { response }, parts(config))).toMatchObject(answer)
  })

  test('a blocked answer comes without a masked one', async () => {
    expect(
      await ask('sallyport_scan_response', { response: 'leak' }, parts({ dlp_mask_only: false })),
    ).not.toHaveProperty('maskedResponse')
  })
})

describe('sallyport_check_tool_safety', () => {
  test.each([
    ['nothing was scanned', undefined, 'exec', true],
    ['nothing was found', 'hello', 'exec', true],
    ['a threat, and a tool of its list', 'evil', 'exec', false],
    ['a threat, and a tool that only reads', 'evil', 'read', true],
  ])('%s', async (_name, prompt, toolName, allowed) => {
    const made = parts()
    if (prompt !== undefined) await ask('sallyport_scan_prompt', { prompt }, made)
    expect(await ask('sallyport_check_tool_safety', { toolName }, made)).toMatchObject({ allowed, toolName })
  })

  test('scans nothing', async () => {
    const made = parts({}, () => Promise.reject(new Error('asked')))
    expect(await ask('sallyport_check_tool_safety', { toolName: 'exec' }, made)).toMatchObject({ allowed: true })
  })
})

const FAULTS: readonly (readonly [string, ScanText])[] = [
  ['the guard rejects', () => Promise.reject(new Error('hunter2 away'))],
  [
    'the guard throws',
    () => {
      throw new Error('hunter2 broken')
    },
  ],
]

describe.each(FAULTS)('%s', (_name, scan) => {
  test.each([
    ['sallyport_scan', { prompt: 'hello' }],
    ['sallyport_scan_prompt', { prompt: 'hello' }],
    ['sallyport_scan_response', { response: 'hello' }],
  ] as const)('%s answers as if it had been refused', async (name, params) => {
    const answer = await ask(name, params, parts({}, scan))
    expect(answer).toMatchObject({ action: 'block', severity: 'CRITICAL', categories: ['scan-failure'] })
    expect(JSON.stringify(answer)).not.toContain('hunter2')
  })
})

test('a failed scan gates tools', async () => {
  const made = parts({}, () => Promise.reject(new Error('away')))
  await ask('sallyport_scan_prompt', { prompt: 'hello' }, made)
  expect(await ask('sallyport_check_tool_safety', { toolName: 'write' }, made)).toMatchObject({ allowed: false })
})

test('a cache that fails refuses the call', async () => {
  const { scan, settings, cache } = parts()
  const broken = {
    ...cache,
    size: 0,
    get: () => {
      throw new Error('broken')
    },
  }
  expect(
    await ask('sallyport_check_tool_safety', { toolName: 'read' }, { scan, settings, cache: broken }),
  ).toMatchObject({ allowed: false })
})

describe.each([undefined, null, 7, [], {}, { prompt: 7, response: 7, toolName: 7 }, { prompt: null }])(
  'parameters %o',
  (params) => {
    test.each(['sallyport_scan', 'sallyport_scan_prompt', 'sallyport_scan_response'] as const)('%s', async (name) => {
      expect(await ask(name, params)).toMatchObject({ action: 'block' })
    })
    test('sallyport_check_tool_safety', async () => {
      expect(await ask('sallyport_check_tool_safety', params)).toMatchObject({ allowed: false })
    })
  },
)

test('the tools of the modes are registered, each for the session of its run', async () => {
  const registered: { readonly tool: ToolRegistration; readonly name: string | undefined }[] = []
  const made = parts({ outbound_mode: 'probabilistic', tool_gating_mode: 'probabilistic' })
  registerModelTools({ registerTool: (tool, options) => registered.push({ tool, name: options?.name }) }, made)
  expect(registered.map(({ name }) => name)).toEqual([
    'sallyport_scan',
    'sallyport_check_tool_safety',
    'sallyport_scan_response',
  ])
  made.cache.put(
    made.cache.begin('agent:main:u2', 'evil'),
    await scanSaying({ evil: EVIL })({
      content: 'prompt',
      text: 'evil',
      session: 'agent:main:u2',
    }),
  )
  const factory = registered[1]?.tool
  const tool = typeof factory === 'function' ? factory({ sessionKey: 'agent:main:u2' }) : null
  expect(tool !== null && 'execute' in tool ? await call(tool, { toolName: 'exec' }) : null).toMatchObject({
    allowed: false,
  })
})
