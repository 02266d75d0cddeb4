/**
 * A gateway on which no call has come to the guard yet, and calls that never come to it: none of them is a seam that is
 * gone. One gateway for all of them, so that each finds it as fresh as the one before has left it.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { entryPaths, type EntryPath } from './entry-paths.ts'
import { startGateway, type RunningGateway } from './gateway.ts'
import { testPlugins } from './gateway-config.ts'
import { connectRpc, type GatewayRpc } from './gateway-rpc.ts'
import { sallyportEntry, withSallyport } from './plugin-under-test.ts'
import { caseMark, writeScript, type Answer, type ToolCall } from './scripted-model.ts'
import { startTalk, type Talk } from './talk.ts'

const open: { running?: RunningGateway; rpc?: GatewayRpc } = {}

beforeAll(async () => {
  const setup = withSallyport(testPlugins)
  open.running = await startGateway({
    folders: [...setup.folders, fileURLToPath(new URL('refuses-first', import.meta.url))],
    entries: { ...setup.entries, 'refuses-first': { enabled: true }, sallyport: sallyportEntry() },
  })
  const { port, token } = open.running.address
  open.rpc = await connectRpc(port, token)
}, 240_000)

afterAll(async () => {
  open.rpc?.close()
  await open.running?.stop()
})

const here = (): { readonly running: RunningGateway; readonly rpc: GatewayRpc } => {
  const { running, rpc } = open
  if (running === undefined || rpc === undefined) throw new Error('The gateway did not start.')
  return { running, rpc }
}

const count = { talks: 0 }
const talk = (path: EntryPath): Talk => {
  count.talks += 1
  return startTalk(here().running.address, here().rpc, path, `fresh${Date.now().toString(36)}x${count.talks}`)
}

const STATUS = z.looseObject({
  seams: z.array(z.object({ seam: z.string(), state: z.string() })),
  faults: z.array(z.string()),
  gaps: z.array(z.string()),
})

/** The state of the seam before tool calls, with whatever is said of any seam. */
const told = async () => {
  const { seams, faults, gaps } = STATUS.parse(await here().rpc.call('sallyport.status', {}))
  const state = seams.find(({ seam }) => seam === 'before_tool_call')?.state
  return { state, said: [...faults, ...gaps].filter((text) => text.includes('at the seam')) }
}

const call = (tool: string, input: Readonly<Record<string, unknown>>): ToolCall => ({ tool, input })
const UNKNOWN = call('no_such_tool', { a: 1 })
const INVALID = call('exec', { cmd: 5 })

/** First turns whose calls come to no tool. */
const TURNS: Readonly<Record<string, readonly Answer[]>> = {
  'an unknown tool': [{ calls: [UNKNOWN] }],
  'arguments that do not fit': [{ calls: [INVALID] }],
  'no arguments': [{ calls: [call('read', {})] }],
  'both at a time': [{ calls: [UNKNOWN, INVALID] }],
  'one after the other': [{ calls: [UNKNOWN] }, { calls: [INVALID] }, { calls: [UNKNOWN] }],
  'words that stand in the arguments, too': [{ say: 'rm x', calls: [call('no_such_tool', { command: 'rm x' })] }],
  'a refusal by a policy of the host': [{ calls: [call('exec', { command: 'echo REFUSEDBYPOLICY' })] }],
  'a refusal by a plugin that is asked first': [{ calls: [call('exec', { command: 'echo REFUSEDBYHOOK' })] }],
  'an answer without a word': [{ say: '' }],
}

const PATHS = Object.values(entryPaths)

describe('before the first call has reached the guard', () => {
  for (const [name, answers] of Object.entries(TURNS))
    for (const path of PATHS)
      test(`${path.name}: ${name}: this conversation and the others continue`, async () => {
        const mine = talk(path)
        await mine.turn('Do it.', ...answers, { say: 'I could not.' })
        const next = await mine.turn('And now?', { say: 'I am here.' })
        const other = await talk(entryPaths.channel).turn('Hello.', { say: 'Good day.' })
        expect([next.shown.last, other.shown.last]).toEqual(['I am here.', 'Good day.'])
        expect(await told()).toEqual({ state: 'unseen', said: [] })
      })

  test('a model service that fails, and a retry', async () => {
    const mine = talk(entryPaths.channel)
    await mine.turn('Do it.', { fails: 503 }, { fails: 503 }, { calls: [UNKNOWN] }, { say: 'I could not.' })
    const next = await mine.turn('And now?', { say: 'I am here.' })
    expect([next.shown.last, await told()]).toEqual(['I am here.', { state: 'unseen', said: [] }])
  })

  test('a run that is aborted while its model is working', async () => {
    const { running, rpc } = here()
    const mine = talk(entryPaths.webchat)
    await writeScript(running.address.model, `${mine.id}abort`, [{ calls: [INVALID], after: 3_000 }])
    const message = `Do it. (${caseMark(`${mine.id}abort`)})`
    await rpc.call('chat.send', { sessionKey: mine.sessionKey, message, idempotencyKey: randomUUID() })
    await sleep(1_000)
    await rpc.call('chat.abort', { sessionKey: mine.sessionKey })
    const next = await mine.turn('And now?', { say: 'I am here.' })
    expect([next.shown.last, await told()]).toEqual(['I am here.', { state: 'unseen', said: [] }])
  })

  test('many conversations at the same time', async () => {
    const turns = Object.values(TURNS).map((answers, at) =>
      talk(PATHS[at % 2] ?? entryPaths.http).turn('Do it.', ...answers, { say: 'I could not.' }),
    )
    await Promise.all(turns)
    const next = await talk(entryPaths.http).turn('And now?', { say: 'I am here.' })
    expect([next.shown.last, await told()]).toEqual(['I am here.', { state: 'unseen', said: [] }])
  })
})

describe('after the first call', () => {
  test('control: a call reaches the guard', async () => {
    const turn = await talk(entryPaths.http).turn(
      'Do it.',
      { calls: [call('exec', { command: 'echo hi' })] },
      { say: 'Done.' },
    )
    expect([turn.shown.last, await told()]).toEqual(['Done.', { state: 'passed', said: [] }])
  })

  for (const [name, answers] of Object.entries(TURNS))
    test(`${name}: no warning is sent`, async () => {
      await talk(entryPaths.http).turn('Do it.', ...answers, { say: 'I could not.' })
      expect(await told()).toEqual({ state: 'passed', said: [] })
    })
})
