import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Prover } from '../manifest.ts'
import { bash, SECRET } from './asker.ts'
import type { Asker, Reply } from './asker.ts'
import { headAfter, HELLO, isSigned, requestOf } from './client.ts'
import type { Twist } from './client.ts'

/** Where a step of AOS is, in a session. */
const aosContext = (id: string) => ({
  agent: { id: 'a', name: 'a', version: '1', provider: { name: 'p', url: 'https://example.com' } },
  session: { id },
  turnId: 't',
  stepId: 's',
  timestamp: new Date().toISOString(),
})

/** Chain, signatures, replay and the ping. */
export const proveIntegrity = ({ prove, proveEach }: Prover, { ask, openSession, guard }: Asker): void => {
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
      {
        name: 'a head that never was',
        proves: ['chain-mismatch'],
        twist: { chainHash: 'a'.repeat(64) },
        code: -32_007,
      },
      { name: 'a version that is none', proves: ['envelope'], twist: { params: { acs_version: '0' } }, code: -32_602 },
      { name: 'a request id that is no UUID', proves: ['envelope'], twist: { requestId: 'one' }, code: -32_602 },
      { name: 'a timestamp that is none', proves: ['envelope'], twist: { timestamp: 'yesterday' }, code: -32_602 },
    ] satisfies readonly { name: string; proves: string[]; twist: Twist; code: number }[],
    async ({ twist, code }) => {
      const { send } = await openSession()
      const { reply } = await send('steps/toolCallRequest', bash('ls'), twist)
      expect(reply).toMatchObject({
        error: { code, data: { reason: expect.any(String), message: expect.any(String) } },
      })
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
    await guard().restart()
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

  prove(['replay', 'chain-lasts'], 'a guard that was started again', async () => {
    const { session, send } = await openSession()
    const first = await send('steps/toolCallRequest', bash('ls'))
    // Another protocol may use the same session; its steps are in the trace, but not in this chain.
    const user = { id: 'm', role: 'user', content: [{ kind: 'text', text: 'Hello.' }] }
    await guard().ask({
      jsonrpc: '2.0',
      id: 1,
      method: 'steps/message',
      params: { context: aosContext(session), message: user },
    })
    await guard().restart()
    const head = headAfter(first.request, undefined)
    expect(await ask(first.request)).toMatchObject({ error: { code: -32_005 } })
    const next = requestOf(SECRET, session, 'steps/toolCallRequest', bash('ls'), { chainHash: head })
    expect(await ask(next)).toMatchObject({ result: { decision: 'allow', chain_hash: headAfter(next, head) } })
  })
}
