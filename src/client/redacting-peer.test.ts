import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createRedactingPeer } from './redacting-peer.ts'
import { createPeer } from './peer.ts'

const NEVER = new AbortController().signal

test('credentials that a service repeats do not come back, however often it does; short words stay', async () => {
  const key = ['Zq8Xv2Lm', '4Rt6Yw1K', 'p9Sd3Fg7'].join('')
  const server = createServer((message, response) => {
    const header = String(message.headers['x-key'])
    response.end(`${header} is no key, nor is ${header} for ok`)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const peer = createRedactingPeer(createPeer({ address: { kind: 'url', url: `http://127.0.0.1:${port}/` } }), [
    key,
    undefined,
    'ok',
  ])
  onTestFinished(() => {
    peer.close()
    server.close()
  })
  const body = '[masked:credential] is no key, nor is [masked:credential] for ok'
  expect(await peer.post('{}', { 'x-key': key }, NEVER)).toMatchObject({ outcome: 'answered', body })
  expect(await peer.get('/', { 'x-key': key }, NEVER)).toMatchObject({ outcome: 'answered', body })
})

test('nor do they escaped, as encoders of JSON write them', async () => {
  const key = ['Zq8Xv2Lm+4Rt6', '/Yw1Kp9Sd3Fg7='].join('')
  const net = key.replace('+', String.raw`\u002B`)
  const php = key.replace('/', String.raw`\/`).replace('=', String.raw`\u003d`)
  const body = (text: string) => ({ outcome: 'answered', status: 200, body: `"${text}"` }) as const
  const said = [net, php]
  const post = async () => body(said.shift() ?? '')
  const peer = createRedactingPeer({ post, get: post, close: () => {} }, [key])
  for (let turn = 0; turn < 2; turn++) expect(await peer.post('{}', {}, NEVER)).toEqual(body('[masked:credential]'))
})
