/**
 * The vendor's SDK and our client, side by side against one stand-in: what it takes from one it takes from the other, and
 * what both send is the same to the byte.
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAirsStandIn } from '../src/testing/index.ts'
import { createAirsGuard, KEY, stepOf } from './support/airs-guard.ts'

/** As much of the SDK as is called here; its own declarations are 10 MB long. */
interface Sdk {
  init(options: object): void
  readonly Scanner: new () => {
    syncScan(profile: object, content: object, options?: object): Promise<Record<string, unknown>>
    asyncScan(objects: readonly object[]): Promise<{ readonly scan_id: string }>
    queryByScanIds(ids: readonly string[]): Promise<readonly Record<string, unknown>[]>
    queryByReportIds(ids: readonly string[]): Promise<readonly Record<string, unknown>[]>
  }
  readonly Content: new (content: object) => object
}

const NAME: string = '@cdot65/prisma-airs-sdk'
const sdk = (await import(NAME)) as Sdk

const startForSdk = async () => {
  const standIn = await startAirsStandIn()
  onTestFinished(() => standIn.close())
  sdk.init({ apiKey: KEY, apiEndpoint: standIn.url, numRetries: 0 })
  return { standIn, scanner: new sdk.Scanner() }
}

describe('what the SDK sends is documented, and what it is answered it understands', () => {
  test.each([
    { name: 'a prompt', content: { prompt: 'hällo' } },
    { name: 'a prompt with its response and context', content: { prompt: 'a', response: 'b', context: 'c' } },
    { name: 'code', content: { codePrompt: 'a', codeResponse: 'b' } },
    {
      name: 'a call of a tool',
      content: {
        toolEvent: {
          metadata: { ecosystem: 'mcp', method: 'tools/call', server_name: 's', tool_invoked: 't' },
          input: '{"ssn":"123-45-6789"}',
          output: '{}',
        },
      },
    },
  ])('$name', async ({ content }) => {
    const { standIn, scanner } = await startForSdk()
    const answer = await scanner.syncScan({ profile_name: 'p' }, new sdk.Content(content), {
      trId: 't',
      sessionId: 's',
      metadata: { app_name: 'x', agent_meta: { agent_id: 'a' } },
    })
    expect(answer).toMatchObject({ session_id: 's', timeout: false, errors: [] })
    expect(standIn.violations).toEqual([])
  })

  test('a batch, its results and its reports', async () => {
    const { standIn, scanner } = await startForSdk()
    const scan_req = { ai_profile: { profile_name: 'p' }, contents: [{ prompt: 'a' }] }
    const { scan_id } = await scanner.asyncScan([
      { req_id: 1, scan_req },
      { req_id: 2, scan_req },
    ])
    const rows = await scanner.queryByScanIds([scan_id])
    expect(rows.map(({ req_id, status }) => [req_id, status])).toEqual([
      [2, 'complete'],
      [1, 'complete'],
    ])
    expect(await scanner.queryByReportIds([`R${scan_id}`])).toHaveLength(2)
    expect(standIn.violations).toEqual([])
  })
})

test('our client sends the same call as the SDK, to the byte', async () => {
  const { guard, clock, standIn: ours } = await createAirsGuard()
  const step = stepOf('toolCallRequest', { tool: { name: 'Bash', server: 'shell' }, input: { command: 'echo "ä😀"' } })
  await clock.until(guard.decide(step))
  const { standIn: theirs, scanner } = await startForSdk()
  await scanner.syncScan(
    { profile_name: 'p' },
    new sdk.Content({
      codeResponse: 'echo "ä😀"',
      toolEvent: {
        metadata: { ecosystem: 'mcp', method: 'tools/call', server_name: 'shell', tool_invoked: 'Bash' },
        input: '{"command":"echo \\"ä😀\\""}',
      },
    }),
    {
      trId: 'turn-1',
      sessionId: 'session-1',
      metadata: { app_name: 'sallyport', app_user: 'dev@example.com', agent_meta: { agent_id: 'main' } },
    },
  )
  const [a, b] = [ours.received[0], theirs.received[0]]
  expect(a?.body.toString()).toBe(b?.body.toString())
  for (const name of ['x-pan-token', 'x-payload-hash', 'content-type'])
    expect([name, a?.headers[name]]).toEqual([name, b?.headers[name]])
  expect([...ours.violations, ...theirs.violations]).toEqual([])
})
