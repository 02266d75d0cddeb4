import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, expect } from 'vitest'
import { startAskedGuard } from '../aos/guard.ts'
import type { AskedGuard } from '../aos/guard.ts'
import { openManifest } from '../manifest.ts'
import { headAfter, HELLO, isSigned, keyOf, requestOf, signatureFor } from './client.ts'
import type { Twist } from './client.ts'
import { ACS_REQUIREMENTS } from './requirements.ts'

const SECRET = 'the secret of this deployment'

// What came back is looked into freely: every look is an assertion.
// oxlint-disable-next-line typescript/no-explicit-any
type Reply = Record<string, any>

let guard: AskedGuard
/** Puts off whatever it is asked. */
let deferring: Server
/** Everything the guard has said in this file. */
const said: Reply[] = []

beforeAll(async () => {
  deferring = createServer((message, response) => {
    let text = ''
    message.on('data', (chunk: Buffer) => (text += chunk.toString()))
    message.on('end', () => {
      const { id, method, params } = JSON.parse(text) as Reply
      const key = keyOf(SECRET, params.metadata.session_id as string)
      const payload = method === 'handshake/hello' ? { payload: { methods_evaluated: ['steps/toolCallRequest'] } } : {}
      const put = method === 'steps/toolCallRequest' && params.payload.tool.name === 'Oracle'
      const result = {
        type: 'final',
        acs_version: '0.1.0',
        request_id: params.request_id,
        decision: put ? 'defer' : 'allow',
        reasoning: 'Not known yet.',
        ...payload,
      }
      const value = signatureFor({ jsonrpc: '2.0', id, result }, key)
      response.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          result: { ...result, signature: { algorithm: 'HMAC-SHA256', value, key_id: 'default' } },
        }),
      )
    })
  })
  await new Promise<void>((resolve) => {
    deferring.listen(0, '127.0.0.1', resolve)
  })
  const { port } = deferring.address() as AddressInfo
  const secretFile = join(await mkdtemp(join(tmpdir(), 'sallyport-acs-')), 'secret')
  await writeFile(secretFile, SECRET)
  guard = await startAskedGuard(
    { SALLYPORT_ACS_SECRET: SECRET },
    `guardians: [{ id: oracle, protocol: acs, url: "http://127.0.0.1:${port}/", secretFile: ${secretFile} }]\n`,
  )
})
afterAll(async () => {
  await guard.stop()
  deferring.close()
})

const ask = async (body: unknown, query = ''): Promise<Reply> => {
  const reply = (await guard.ask(body, query)) as Reply
  said.push(...(Array.isArray(reply) ? (reply as Reply[]) : [reply]))
  return reply
}

/** A session that has said hello. */
const openSession = async (query = '', hello: Record<string, unknown> = HELLO) => {
  const session = randomUUID()
  const key = keyOf(SECRET, session)
  const send = async (method: string, payload: Record<string, unknown>, twist: Twist = {}) => {
    const request = requestOf(SECRET, session, method, payload, twist)
    return { request, reply: await ask(request, query) }
  }
  return { session, key, send, greeting: await send('handshake/hello', hello) }
}

const bash = (command: string) => ({ tool: { name: 'Bash' }, arguments: { command: { value: command } } })
const text = (value: string) => ({ content: [{ type: 'text', value }] })
const key = (): string => ['AKIA', 'Z7KD3XW2MNPQ6RTB'].join('')

const { prove, proveEach, close } = openManifest(ACS_REQUIREMENTS)

prove(['hello', 'hello-methods', 'hello-profiles', 'posture', 'signed-results'], 'the handshake', async () => {
  const { greeting, key: own } = await openSession()
  expect(greeting.reply).toMatchObject({
    id: greeting.request['id'],
    result: {
      type: 'final',
      acs_version: '0.1.0',
      decision: 'allow',
      payload: {
        negotiated_version: '0.1.0',
        methods_evaluated: ['steps/sessionStart', 'steps/toolCallRequest', 'system/ping'],
        selected_transport: 'http',
        timeout_config: { default_ms: expect.any(Number) },
        on_decision_failure: 'deny',
        skew_window_ms: 300_000,
        signature_algorithms_supported: ['HMAC-SHA256'],
        profiles_accepted: ['acs-core'],
      },
    },
  })
  expect(isSigned(greeting.reply, own)).toBe(true)
})

prove(['posture'], 'a deployment that would rather go on', async () => {
  const open = await startAskedGuard({ SALLYPORT_ACS_SECRET: SECRET }, 'acs: { onDecisionFailure: proceed }\n')
  try {
    const reply = (await open.ask(requestOf(SECRET, randomUUID(), 'handshake/hello', HELLO))) as Reply
    expect(reply['result'].payload.on_decision_failure).toBe('proceed')
  } finally {
    await open.stop()
  }
})

prove(['hello-unknown'], 'a ClientHello with members of tomorrow', async () => {
  const { greeting } = await openSession('', { ...HELLO, of_tomorrow: { deep: [1] } })
  expect(greeting.reply).toMatchObject({ result: { decision: 'allow' } })
})

prove(['hello-version'], 'a caller of another major version', async () => {
  const { greeting } = await openSession('', { ...HELLO, acs_versions_supported: ['3.0.0'] })
  expect(greeting.reply).toMatchObject({ error: { code: -32_001, data: { supported_versions: ['0.1.0'] } } })
})

proveEach(
  ['acs_versions_supported', 'methods_implemented', 'transports_supported', 'provenance_producer'].map((member) => ({
    name: `a ClientHello without ${member}`,
    proves: ['hello-invalid'],
    member,
  })),
  async ({ member }) => {
    const { [member]: _, ...rest } = HELLO
    expect((await openSession('', rest)).greeting.reply).toMatchObject({ error: { code: -32_602 } })
  },
)

prove(['hello-first'], 'a step before the handshake', async () => {
  expect(await ask(requestOf(SECRET, randomUUID(), 'steps/toolCallRequest', bash('ls')))).toMatchObject({
    error: { code: -32_003, data: { method: 'handshake/hello' } },
  })
})

proveEach(
  ['acs_version', 'request_id', 'timestamp', 'metadata', 'payload'].map((member) => ({
    name: `a request without ${member}`,
    proves: ['envelope'],
    member,
  })),
  async ({ member }) => {
    const { send } = await openSession()
    const tamper = (envelope: Reply): Reply => {
      const { [member]: _, ...params } = envelope['params'] as Reply
      return { ...envelope, params: { acs_version: undefined, ...params } }
    }
    // Without its version a request is read as one of AOS, which refuses its params too.
    expect((await send('steps/toolCallRequest', bash('ls'), { tamper })).reply).toMatchObject({
      error: { code: -32_602 },
    })
  },
)

prove(['envelope-closed', 'signed-errors'], 'a request with a member too many', async () => {
  const { send, key: own } = await openSession()
  const { reply } = await send('steps/turnStart', {}, { tamper: (envelope) => ({ ...envelope, more: 1 }) })
  expect(reply).toMatchObject({ error: { code: -32_602 } })
  expect(isSigned(reply, own)).toBe(true)
})

prove(['version-major', 'forward'], 'a request of a later version, with params of tomorrow', async () => {
  const { send } = await openSession()
  const { reply } = await send('steps/turnStart', {}, { params: { acs_version: '0.9.3', of_tomorrow: true } })
  expect(reply).toMatchObject({ result: { decision: 'allow' } })
})

prove(['batch'], 'a batch', async () => {
  const { session } = await openSession()
  const batch = ['ls', 'rm -rf ~', 'pwd'].map((command) =>
    requestOf(SECRET, session, 'steps/toolCallRequest', bash(command)),
  )
  const replies = (await ask(batch)) as unknown as Reply[]
  expect(replies.map(({ id, result }) => [id, result.decision])).toEqual(
    batch.map(({ id }, index) => [id, index === 1 ? 'deny' : 'allow']),
  )
})

const HOOKS: Readonly<Record<string, Record<string, unknown>>> = {
  sessionStart: { platform: 'test' },
  agentTrigger: { trigger_type: 'scheduled', trigger_source: { at: 'noon' } },
  turnStart: { turn_id: 't', triggered_by: 'user_message' },
  userMessage: text('hello'),
  agentResponse: text('hello'),
  knowledgeRetrieval: { query: { value: 'q' }, results: [{ value: 'found' }] },
  memoryContextRetrieval: { results: [{ value: 'remembered' }] },
  memoryStore: { content: { value: 'to remember' } },
  toolCallRequest: bash('ls'),
  toolCallResult: { tool: { name: 'Bash' }, exit_status: 'success', outputs: [{ value: 'a b' }] },
  preCompact: { entries_to_compact: ['s'], triggered_by: 'manual' },
  postCompact: { summary: { value: 'short' }, entries_compacted: ['s'] },
  subagentStart: { subagent_session_id: randomUUID(), intent_derivation: 'inherit_full' },
  subagentStop: { subagent_session_id: randomUUID(), outcome: 'completed', summary: { value: 'done' } },
  skillRegister: { skill_id: 'k', definition: { ref: 'r', digest: 'd', body: 'Sort lists.' } },
  skillLoad: { skill_id: 'k', load_trigger: 'user' },
  skillUnload: { skill_id: 'k', reason: 'explicit_unload' },
  turnEnd: { turn_id: 't', outcome: 'completed', step_count: 1 },
  sessionEnd: { session_reason: 'completed' },
}
const MINIMUM = ['sessionStart', 'userMessage', 'agentTrigger', 'toolCallRequest', 'toolCallResult', 'agentResponse']
const minimum = new Set([...MINIMUM, 'sessionEnd', 'subagentStart'])

proveEach(
  Object.entries(HOOKS).map(([hook, payload]) => ({
    name: `steps/${hook}`,
    proves: [...(minimum.has(hook) ? ['hooks-minimum'] : []), 'hooks-all', 'allow', 'chain-published'],
    hook,
    payload,
  })),
  async ({ hook, payload }) => {
    const { send, key: own } = await openSession()
    const { request, reply } = await send(`steps/${hook}`, payload)
    expect(reply).toMatchObject({ result: { decision: 'allow', chain_hash: headAfter(request, undefined) } })
    expect(isSigned(reply, own)).toBe(true)
  },
)

proveEach(
  ['agbom/snapshot', 'agbom/changed'].map((method) => ({ name: method, proves: ['agbom'], method })),
  async ({ method }) => {
    const { send } = await openSession()
    const { reply } = await send(method, { components: [{ type: 'tool', name: 'Bash' }] })
    expect(reply).toMatchObject({ result: { decision: 'allow', chain_hash: expect.stringMatching(/^[0-9a-f]{64}$/) } })
  },
)

const toolsCall = (name: string, args: Record<string, string>) => ({
  message: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
})

proveEach(
  [
    { name: 'a call that destroys', proves: ['mcp'], method: 'protocols/MCP/tools/call', decision: 'deny' },
    {
      name: 'in the explicit form',
      proves: ['mcp-prefix'],
      method: 'wrapped:mcp-2025-06-18/tools/call',
      decision: 'deny',
    },
  ],
  async ({ method, decision }) => {
    const { send } = await openSession()
    const { reply } = await send(method, toolsCall('Bash', { command: 'rm -rf ~' }))
    expect(reply).toMatchObject({ result: { decision } })
  },
)

prove(['mcp', 'modify-content'], 'a secret in what an MCP server sends is redacted', async () => {
  const { send } = await openSession()
  await send('protocols/MCP/tools/call', toolsCall('fetch', { url: 'https://example.com' }))
  const result = { content: [{ type: 'text', text: `the key is ${key()}, keep it` }] }
  const { reply } = await send('protocols/MCP/tools/call', { message: { jsonrpc: '2.0', id: 1, result } })
  expect(reply).toMatchObject({
    result: { decision: 'modify', modifications: { redactions: [{ path: '/message/result/content/0/text' }] } },
  })
})

proveEach(
  [
    {
      name: 'a hook nobody has heard of',
      proves: ['unknown-method', 'signed-errors'],
      method: 'steps/unheardOf',
      payload: {},
      code: -32_601,
    },
    {
      name: 'a call without its tool',
      proves: ['payload'],
      method: 'steps/toolCallRequest',
      payload: { arguments: {} },
      code: -32_602,
    },
    {
      name: 'an argument without its value',
      proves: ['payload'],
      method: 'steps/toolCallRequest',
      payload: { tool: { name: 'x' }, arguments: { a: {} } },
      code: -32_602,
    },
    { name: 'a message without content', proves: ['payload'], method: 'steps/userMessage', payload: {}, code: -32_602 },
    {
      name: 'a wrapped call of a tool under the name of another method',
      proves: ['payload', 'mcp'],
      method: 'protocols/MCP/resources/read',
      payload: toolsCall('Bash', { command: 'rm -rf ~' }),
      code: -32_602,
    },
  ],
  async ({ method, payload, code }) => {
    const { send, key: own } = await openSession()
    const { reply } = await send(method, payload)
    expect(reply).toMatchObject({ error: { code } })
    expect(isSigned(reply, own)).toBe(true)
  },
)

prove(['deny'], 'a call that destroys', async () => {
  const { send } = await openSession()
  const { reply } = await send('steps/toolCallRequest', bash('rm -rf ~'))
  expect(reply).toMatchObject({
    result: {
      decision: 'deny',
      reasoning: expect.stringContaining('home'),
      policy_references: expect.arrayContaining([
        expect.objectContaining({ policy_id: 'delete-home', policy_version: expect.stringMatching(/./) }),
      ]),
    },
  })
})

prove(['deny'], 'a call whose command line alone destroys', async () => {
  const { send } = await openSession()
  const { reply } = await send('steps/toolCallRequest', {
    tool: { name: 'runner' },
    arguments: { note: { value: 'rm -rf ~' } },
    raw_command: 'rm -rf ~',
  })
  expect(reply).toMatchObject({ result: { decision: 'deny', reason_codes: expect.arrayContaining(['delete-home']) } })
})

prove(['ask'], 'a call that a person has to approve, of a caller that has people', async () => {
  const { send } = await openSession('?ask=native')
  const { reply } = await send('steps/toolCallRequest', bash('npm publish'))
  expect(reply).toMatchObject({
    result: { decision: 'ask', reasoning: expect.stringMatching(/./), ask_details: { approver: { type: 'human' } } },
  })
})

prove(['ask-unsupported'], 'the same call of a caller that has nobody', async () => {
  const { send } = await openSession()
  const { reply } = await send('steps/toolCallRequest', bash('npm publish'))
  expect(reply).toMatchObject({
    result: {
      decision: 'deny',
      reason_codes: expect.arrayContaining(['approver_unavailable']),
      // Under which a person can agree elsewhere; then the same call goes through.
      policy_data: { sallyport: { approvalId: expect.any(String) } },
    },
  })
})

prove(['defer'], 'a call that another guardian cannot judge yet', async () => {
  const { send } = await openSession()
  const { reply } = await send('steps/toolCallRequest', { tool: { name: 'Oracle' }, arguments: {} })
  expect(reply).toMatchObject({
    result: {
      decision: 'defer',
      reasoning: 'Not known yet.',
      defer_details: {
        reason: 'pending_dependency',
        resolution_method: expect.any(String),
        resolution_timeout_ms: expect.any(Number),
        timeout_decision: 'deny',
      },
    },
  })
})

prove(['modify-arguments'], 'a secret in an argument is taken out of the whole argument', async () => {
  const { send } = await openSession()
  const { reply } = await send('steps/memoryStore', { content: { value: `the key is ${key()}, keep it` } })
  const { decision, modifications } = reply['result']
  expect(decision).toBe('modify')
  expect(modifications.redactions).toHaveLength(1)
  const call = await send('steps/toolCallRequest', {
    tool: { name: 'save_note', provider: 'notes' },
    arguments: { title: { value: 'keys' }, body: { value: { text: `the key is ${key()}, keep it` } } },
  })
  // Where the rules do not mask a call they refuse it; either way the secret does not go on.
  if (call.reply['result'].decision === 'modify')
    expect(Object.keys(call.reply['result'].modifications.parameter_overrides)).toEqual(['body'])
  else expect(call.reply['result'].decision).toBe('deny')
})

prove(['modify-content'], 'a secret in a tool’s result is redacted where it stands', async () => {
  const { send } = await openSession()
  const { reply } = await send('steps/toolCallResult', {
    tool: { name: 'Read' },
    exit_status: 'success',
    outputs: [{ value: 'nothing' }, { value: { text: `key = ${key()} done` } }],
  })
  expect(reply['result'].modifications.redactions).toEqual([
    { path: '/outputs/1/value/text', replacement: expect.stringMatching(/^key = .* done$/) },
  ])
})

prove(['modify-unsupported'], 'the same result of a caller that cannot change it', async () => {
  const { send } = await openSession('?modify=none')
  const { reply } = await send('steps/toolCallResult', {
    tool: { name: 'Read' },
    exit_status: 'success',
    outputs: [{ value: `key = ${key()} done` }],
  })
  expect(reply).toMatchObject({
    result: { decision: 'deny', reason_codes: expect.arrayContaining(['modify_unsupported']) },
  })
})

prove(['after-compact'], 'a compaction that holds a secret, of a caller that cannot change it', async () => {
  const { send } = await openSession('?modify=none')
  const { reply } = await send('steps/postCompact', { summary: { value: key() }, entries_compacted: ['s'] })
  expect(reply['result'].decision).toBe('allow')
})

proveEach(
  ['subagentStop', 'skillUnload', 'turnEnd', 'sessionEnd'].map((hook) => ({
    name: `steps/${hook} with a secret in it`,
    proves: ['audit-only'],
    hook,
  })),
  async ({ hook }) => {
    const { send } = await openSession()
    const { reply } = await send(`steps/${hook}`, { ...HOOKS[hook], summary: { value: key() } })
    expect(reply['result'].decision).toBe('allow')
  },
)

prove(['chain-hash', 'request-hash', 'chain-published'], 'the heads of three steps', async () => {
  const { send } = await openSession()
  let head: string | undefined
  for (const command of ['ls', 'rm -rf ~', 'pwd']) {
    const { request, reply } = await send(
      'steps/toolCallRequest',
      bash(command),
      head === undefined ? {} : { chainHash: head },
    )
    head = headAfter(request, head)
    expect(reply['result'].chain_hash).toBe(head)
  }
})

proveEach(
  [
    { name: 'no signature', proves: ['signature'], twist: { unsigned: true }, code: -32_004 },
    {
      name: 'a payload changed after signing',
      proves: ['signature'],
      twist: { tamper: (e: Reply) => ({ ...e, params: { ...e['params'], payload: bash('ls -la') } }) },
      code: -32_004,
    },
    {
      name: 'a signature of another algorithm, with the value of ours',
      proves: ['signature'],
      twist: {
        tamper: (e: Reply) => ({
          ...e,
          params: { ...e['params'], signature: { ...e['params'].signature, algorithm: 'ECDSA-P256' } },
        }),
      },
      code: -32_004,
    },
    {
      name: 'another method than was signed',
      proves: ['signature'],
      twist: { tamper: (e: Reply) => ({ ...e, method: 'steps/turnStart' }) },
      code: -32_004,
    },
    {
      name: 'a session that it was not signed for',
      proves: ['signature-bound'],
      twist: {
        tamper: (e: Reply) => ({
          ...e,
          params: { ...e['params'], metadata: { ...e['params'].metadata, session_id: randomUUID() } },
        }),
      },
      code: -32_004,
    },
    {
      name: 'a timestamp of ten minutes ago',
      proves: ['window'],
      twist: { timestamp: new Date(Date.now() - 600_000).toISOString() },
      code: -32_006,
    },
    {
      name: 'a timestamp in ten minutes',
      proves: ['window'],
      twist: { timestamp: new Date(Date.now() + 600_000).toISOString() },
      code: -32_006,
    },
    { name: 'a head that never was', proves: ['chain-mismatch'], twist: { chainHash: 'a'.repeat(64) }, code: -32_007 },
    { name: 'a version that is none', proves: ['envelope'], twist: { params: { acs_version: '0' } }, code: -32_602 },
    { name: 'a request id that is no UUID', proves: ['envelope'], twist: { requestId: 'one' }, code: -32_602 },
    { name: 'a timestamp that is none', proves: ['envelope'], twist: { timestamp: 'yesterday' }, code: -32_602 },
  ] satisfies readonly { name: string; proves: string[]; twist: Twist; code: number }[],
  async ({ twist, code }) => {
    const { send } = await openSession()
    const { reply } = await send('steps/toolCallRequest', bash('ls'), twist)
    expect(reply).toMatchObject({ error: { code, data: { reason: expect.any(String), message: expect.any(String) } } })
    if (code === -32_006) expect(reply['error'].data.skew_window_ms).toBe(300_000)
    expect(reply['error'].signature).toMatchObject({ algorithm: 'HMAC-SHA256' })
  },
)

prove(['chain-published'], 'a handshake in the midst of a session', async () => {
  const { send, key: own } = await openSession()
  const step = await send('steps/turnStart', {})
  const { reply } = await send('handshake/hello', HELLO)
  expect(reply['result'].chain_hash).toBe(step.reply['result'].chain_hash)
  expect(isSigned(reply, own)).toBe(true)
})

prove(['chain-lasts', 'signature-bound'], 'a session in capital letters is the same session', async () => {
  const { session, send } = await openSession()
  const { request } = await send('steps/turnStart', {})
  const loud = requestOf(SECRET, session.toUpperCase(), 'steps/turnStart', {})
  expect(await ask(loud)).toMatchObject({
    result: { decision: 'allow', chain_hash: headAfter(loud, headAfter(request, undefined)) },
  })
  await guard.restart()
  const next = requestOf(SECRET, session, 'steps/turnStart', {})
  expect(await ask(next)).toMatchObject({
    result: { chain_hash: headAfter(next, headAfter(loud, headAfter(request, undefined))) },
  })
})

prove(['replay', 'nonce'], 'a request id and a nonce that come twice', async () => {
  const { send } = await openSession()
  const requestId = randomUUID()
  const nonce = 'n'.repeat(20)
  const replies = [
    await send('steps/turnStart', {}, { requestId }),
    await send('steps/turnStart', {}, { requestId: requestId.toUpperCase() }),
    await send('steps/turnStart', {}, { nonce }),
    await send('steps/turnStart', {}, { nonce }),
  ].map(({ reply }) => reply['result']?.decision ?? reply['error'].code)
  expect(replies).toEqual(['allow', -32_005, 'allow', -32_005])
})

prove(['ping'], 'a ping of anyone', async () => {
  const reply = await ask(requestOf(SECRET, randomUUID(), 'system/ping', { echo: 'x' }, { unsigned: true }))
  expect(reply).toMatchObject({ result: { decision: 'allow', payload: { status: 'ok', echo: 'x' } } })
  expect(reply['result']).not.toHaveProperty('chain_hash')
})

/** Where a step of AOS is, in a session. */
const aosContext = (id: string) => ({
  agent: { id: 'a', name: 'a', version: '1', provider: { name: 'p', url: 'https://example.com' } },
  session: { id },
  turnId: 't',
  stepId: 's',
  timestamp: new Date().toISOString(),
})

prove(['replay', 'chain-lasts'], 'a guard that was started again', async () => {
  const { session, send } = await openSession()
  const first = await send('steps/toolCallRequest', bash('ls'))
  // Another protocol may speak of the same session; its steps stand in the trace and not in this chain.
  const user = { id: 'm', role: 'user', content: [{ kind: 'text', text: 'Hello.' }] }
  await guard.ask({
    jsonrpc: '2.0',
    id: 1,
    method: 'steps/message',
    params: { context: aosContext(session), message: user },
  })
  await guard.restart()
  const head = headAfter(first.request, undefined)
  expect(await ask(first.request)).toMatchObject({ error: { code: -32_005 } })
  const next = requestOf(SECRET, session, 'steps/toolCallRequest', bash('ls'), { chainHash: head })
  expect(await ask(next)).toMatchObject({ result: { decision: 'allow', chain_hash: headAfter(next, head) } })
})

const schemas = join(process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared'), 'specs/acs')

prove(['schema'], 'everything that was said in this file', (context) => {
  expect(said.length).toBeGreaterThan(80)
  if (!existsSync(schemas)) {
    process.stderr.write(`SKIPPED: no ACS schemas at ${schemas}; nothing was checked against them\n`)
    context.skip()
    return
  }
  const read = (name: string): Reply =>
    JSON.parse(readFileSync(join(schemas, `${name}.condensed.json`), 'utf8')) as Reply
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const response = read('response-envelope')
  const base = String(response['$id']).replace('response-envelope.json', '')
  ajv.addSchema(read('request-envelope'))
  ajv.addSchema(read('hooks-tool-call')['modifications'] as Reply, `${base}modifications.json`)
  // The condensed schemas leave these two out.
  for (const name of ['ask-details.json', 'defer-details.json']) ajv.addSchema({ type: 'object' }, `${base}${name}`)
  const validate = ajv.compile(response)
  const wrong = said.filter((one) => !validate(one)).map((one) => [one, ajv.errorsText(validate.errors)])
  expect(wrong).toEqual([])
})

close()
