import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Prover } from '../manifest.ts'
import { bash } from './asker.ts'
import type { Asker } from './asker.ts'
import { headAfter, isSigned } from './client.ts'

const text = (value: string) => ({ content: [{ type: 'text', value }] })

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

const toolsCall = (name: string, args: Record<string, string>) => ({
  message: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
})

const key = (): string => ['AKIA', 'Z7KD3XW2MNPQ6RTB'].join('')

/** The decided methods, and the five dispositions. */
export const proveDecisions = ({ prove, proveEach }: Prover, { openSession }: Asker): void => {
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
      expect(reply).toMatchObject({
        result: { decision: 'allow', chain_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      })
    },
  )

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
      {
        name: 'a message without content',
        proves: ['payload'],
        method: 'steps/userMessage',
        payload: {},
        code: -32_602,
      },
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

  prove(['defer-bounded'], 'a call that is put off again and again is denied in the end', async () => {
    const { send } = await openSession()
    let [decision, times] = ['defer', 0]
    for (; decision === 'defer' && times < 100; times++) {
      const { reply } = await send('steps/toolCallRequest', { tool: { name: 'Oracle' }, arguments: {} })
      decision = reply['result'].decision as string
    }
    expect([decision, times]).toEqual(['deny', 65])
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
}
