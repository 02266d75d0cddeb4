import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../../src/protocol/json.ts'
import { startAskedGuard } from '../aos/guard.ts'
import type { AskedGuard } from '../aos/guard.ts'
import { headAfter, HELLO, isSigned, keyOf, requestOf } from './client.ts'
import type { Twist } from './client.ts'

const SECRET = 'the secret of this deployment'

let guard: AskedGuard
beforeAll(async () => {
  guard = await startAskedGuard({ SALLYPORT_ACS_SECRET: SECRET })
})
afterAll(async () => guard.stop())

// What came back is looked into freely: every look is an assertion.
// oxlint-disable-next-line typescript/no-explicit-any
type Reply = Record<string, any>

/** A session that has said hello. */
const openSession = async (query = '') => {
  const session = randomUUID()
  const key = keyOf(SECRET, session)
  const send = async (method: string, payload: Record<string, unknown>, twist: Twist = {}) => {
    const request = requestOf(SECRET, session, method, payload, twist)
    const reply = (await guard.ask(request, query)) as Reply
    return { request, reply }
  }
  const hello = await send('handshake/hello', HELLO)
  return { session, key, send, hello }
}

const bash = (command: string) => ({ tool: { name: 'Bash' }, arguments: { command: { value: command } } })

describe('ACS 0.1.0, as an agent written from the standard sees it', () => {
  test('the handshake names the version, the posture and what is evaluated, and is signed', async () => {
    const { hello, key } = await openSession()
    expect(hello.reply).toMatchObject({
      id: hello.request['id'],
      result: {
        type: 'final',
        acs_version: '0.1.0',
        decision: 'allow',
        payload: {
          negotiated_version: '0.1.0',
          methods_evaluated: ['steps/sessionStart', 'steps/toolCallRequest', 'system/ping'],
          selected_transport: 'http',
          on_decision_failure: 'deny',
          skew_window_ms: 300_000,
          signature_algorithms_supported: ['HMAC-SHA256'],
          profiles_accepted: ['acs-core'],
        },
      },
    })
    expect(isSigned(hello.reply, key)).toBe(true)
  })

  test('a call that destroys is denied with its reason and its rules, a harmless one allowed; both are chained', async () => {
    const { send, key } = await openSession()
    const first = await send('steps/toolCallRequest', bash('rm -rf ~'))
    expect(first.reply).toMatchObject({
      result: {
        decision: 'deny',
        reasoning: expect.stringContaining('home'),
        policy_references: expect.arrayContaining([expect.objectContaining({ policy_id: 'delete-home' })]),
      },
    })
    const head = headAfter(first.request, undefined)
    expect(first.reply['result'].chain_hash).toBe(head)
    const second = await send('steps/toolCallRequest', bash('ls'), { chainHash: head })
    expect(second.reply).toMatchObject({ result: { decision: 'allow', chain_hash: headAfter(second.request, head) } })
    expect([first, second].map(({ reply }) => isSigned(reply, key))).toEqual([true, true])
  })

  test('a secret in a tool’s result is redacted where it stands', async () => {
    const { send } = await openSession()
    const value = `key = ${['AKIA', 'Z7KD3XW2MNPQ6RTB'].join('')} done`
    const { reply } = await send('steps/toolCallResult', {
      tool: { name: 'Read' },
      exit_status: 'success',
      outputs: [{ value: 'nothing' }, { value: { text: value } }],
    })
    expect(reply).toMatchObject({
      result: { decision: 'modify', modifications: { redactions: [{ path: '/outputs/1/value/text' }] } },
    })
    const [{ replacement }] = reply['result'].modifications.redactions
    expect(replacement).toMatch(/^key = .* done$/)
    expect(replacement).not.toContain('AKIA')
  })

  test.each([
    { name: 'no signature', twist: { unsigned: true }, code: -32_004 },
    {
      name: 'a payload changed after signing',
      twist: { tamper: (e: Reply) => ({ ...e, params: { ...e['params'], payload: bash('ls -la') } }) },
      code: -32_004,
    },
    {
      name: 'another method than was signed',
      twist: { tamper: (e: Reply) => ({ ...e, method: 'steps/turnStart' }) },
      code: -32_004,
    },
    {
      name: 'a timestamp of ten minutes ago',
      twist: { timestamp: new Date(Date.now() - 600_000).toISOString() },
      code: -32_006,
    },
    {
      name: 'a timestamp in ten minutes',
      twist: { timestamp: new Date(Date.now() + 600_000).toISOString() },
      code: -32_006,
    },
    { name: 'a head that never was', twist: { chainHash: 'a'.repeat(64) }, code: -32_007 },
    { name: 'no UUID as request_id', twist: { requestId: 'one' }, code: -32_602 },
    { name: 'no date', twist: { timestamp: 'yesterday' }, code: -32_602 },
  ] satisfies readonly { name: string; twist: Twist; code: number }[])(
    'refuses $name with $code, signed',
    async ({ twist, code }) => {
      const { send, key } = await openSession()
      const { reply } = await send('steps/toolCallRequest', bash('ls'), twist)
      expect(reply).toMatchObject({
        error: { code, data: { reason: expect.any(String), message: expect.any(String) } },
      })
      expect(isSigned(reply, key)).toBe(true)
    },
  )

  test('a request is taken once, and a nonce too', async () => {
    const { send } = await openSession()
    const requestId = randomUUID()
    const nonce = 'n'.repeat(20)
    const replies = [
      await send('steps/turnStart', {}, { requestId }),
      await send('steps/turnStart', {}, { requestId }),
      await send('steps/turnStart', {}, { nonce }),
      await send('steps/turnStart', {}, { nonce }),
    ].map(({ reply }) => reply['result']?.decision ?? reply['error'].code)
    expect(replies).toEqual(['allow', -32_005, 'allow', -32_005])
  })

  test('no step is decided on before the handshake', async () => {
    const session = randomUUID()
    const reply = await guard.ask(requestOf(SECRET, session, 'steps/toolCallRequest', bash('ls')))
    expect(reply).toMatchObject({ error: { code: -32_003, data: { method: 'handshake/hello' } } })
  })

  test('ping is answered to anyone, and not chained', async () => {
    const session = randomUUID()
    const reply = await guard.ask(requestOf(SECRET, session, 'system/ping', { echo: 'x' }, { unsigned: true }))
    expect(reply).toMatchObject({ result: { decision: 'allow', payload: { status: 'ok', echo: 'x' } } })
    expect(isObject(reply) && isObject(reply['result']) && 'chain_hash' in reply['result']).toBe(false)
  })

  test('a guard that was started again knows the session, its chain and what it has answered', async () => {
    const { session, send } = await openSession()
    const first = await send('steps/toolCallRequest', bash('ls'))
    await guard.restart()
    const head = headAfter(first.request, undefined)
    const replayed = (await guard.ask(first.request)) as Reply
    expect(replayed).toMatchObject({ error: { code: -32_005 } })
    const next = requestOf(SECRET, session, 'steps/toolCallRequest', bash('ls'), { chainHash: head })
    expect(await guard.ask(next)).toMatchObject({ result: { decision: 'allow', chain_hash: headAfter(next, head) } })
  })
})
