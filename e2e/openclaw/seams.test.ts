/** What the guard leans on inside the host, taken away: a copy of the host with its insides renamed. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runCli } from '../cli.ts'
import { changedHost, type Change } from './changed-host.ts'
import { entryPaths, overChannel, overHttp, replyTo, type EntryPath } from './entry-paths.ts'
import { hostEntry, startGateway, type RunningGateway } from './gateway.ts'
import { testPlugins } from './gateway-config.ts'
import { connectRpc, type GatewayRpc } from './gateway-rpc.ts'
import { TOPIC } from './guard-config.ts'
import { pluginFolder, sallyportEntry, withSallyport } from './plugin-under-test.ts'
import { tailOf } from './stage.ts'
import { startTalk, type Talk } from './talk.ts'
import { readTrace } from '../trace.ts'

const STATUS = z.looseObject({
  seams: z.array(z.object({ seam: z.string(), of: z.string(), state: z.string() })),
  faults: z.array(z.string()),
  gaps: z.array(z.string()),
})

/** A gateway that runs a changed copy of the host. */
interface Changed {
  readonly gateway: RunningGateway['address']
  talk(path: EntryPath): Talk
  /** States of the seams that are named, and what is said. */
  status(): Promise<{
    readonly states: Readonly<Record<string, string>>
    readonly faults: string
    readonly gaps: string
  }>
  doctor(): Promise<readonly string[]>
  /** What the plugin has written into the host's log, line by line. */
  logged(): Promise<readonly string[]>
  /** What the guard has kept in the trace that it cannot guard. */
  gaps(): Promise<readonly string[]>
}

const CHECKS = z.object({
  checks: z.array(z.object({ name: z.string(), status: z.string(), found: z.string() })),
})

const LOGGED = z.looseObject({ 0: z.unknown().optional(), 1: z.unknown().optional() })
const PLUGINS = JSON.stringify({ subsystem: 'plugins' })
const GAPS = z.looseObject({ detail: z.looseObject({ gaps: z.array(z.string()) }) })

/** Starts one for the tests of a block. */
const changed = (changes: readonly Change[]): (() => Changed) => {
  const open: { changed?: Changed; rpc?: GatewayRpc; end?: () => Promise<void> } = {}
  beforeAll(async () => {
    const host = await changedHost(hostEntry(), changes)
    const setup = withSallyport(testPlugins)
    const entries = { ...setup.entries, sallyport: sallyportEntry() }
    const running = await startGateway({ ...setup, entries }, host.entry)
    const gateway = running.address
    const rpc = await connectRpc(gateway.port, gateway.token)
    open.end = async () => {
      rpc.close()
      await running.stop()
      await host.remove()
    }
    const run = (...args: readonly string[]) =>
      runCli(args, { env: { ...gateway.env, SALLYPORT_OPENCLAW_PLUGIN: pluginFolder }, cwd: gateway.workspace })
    const count = { talks: 0 }
    open.changed = {
      gateway,
      talk: (path) => startTalk(gateway, rpc, path, `${Date.now().toString(36)}x${(count.talks += 1)}`),
      status: async () => {
        const { seams, faults, gaps } = STATUS.parse(await rpc.call('sallyport.status', {}))
        return {
          states: Object.fromEntries(seams.map(({ seam, state }) => [seam, state])),
          faults: faults.join('\n'),
          gaps: gaps.join('\n'),
        }
      },
      doctor: async () => {
        const { out } = await run('doctor', 'openclaw', '--json', '--client', host.entry)
        return CHECKS.parse(JSON.parse(out)).checks.map(({ name, status, found }) => `${status} ${name}: ${found}`)
      },
      logged: async () => {
        const lines = (await readFile(gateway.logFile, 'utf8')).split('\n').filter((line) => line !== '')
        return lines
          .map((line) => LOGGED.parse(JSON.parse(line)))
          .flatMap(({ 0: from, 1: text }) => (from === PLUGINS && typeof text === 'string' ? [text] : []))
      },
      gaps: async () => {
        const place = { env: gateway.env, cwd: gateway.workspace }
        const events = await readTrace('guard', `${gateway.state}/sallyport`, place)
        return events.flatMap(({ type, body }) => (type === 'HostGaps' ? GAPS.parse(body).detail.gaps : []))
      },
    }
  }, 240_000)
  afterAll(() => open.end?.())
  return () => {
    if (open.changed === undefined) throw new Error('The gateway of a changed host did not start.')
    return open.changed
  }
}

/** A key in pieces: a word at a time it leaves in none of them, if pieces are known for what they are. */
const PARTS = ['ghp', '_', 'Zq7Lm2Xw9Rt4Bv6Nc8Kd1Hs3Jf5Gp0YaUiEo'] as const
const KEY = PARTS.join('')
const ANSWER = `The token is ${KEY} as asked, and ${TOPIC} is no secret.`
const CLOSED = /Part of what this assistant does can no longer be checked, so it has stopped/

const RENAMED: readonly Change[] = [
  { from: 'transformAssistantEventText', to: 'rewriteStreamEvent' },
  { from: '"openclaw.runtime-context"', to: '"openclaw.beside"' },
  { from: '"## Conversation Context"', to: '"## Request"' },
  { from: '"## Subagent Context"', to: '"## Task"' },
]

describe('the marks of context beside a prompt, and the function that passes on parts of an answer', () => {
  const host = changed(RENAMED)

  test('doctor names each seam before the first run', async () => {
    const failed = (await host().doctor()).filter((check) => check.startsWith('fail'))
    expect(failed).toEqual([
      expect.stringMatching(/^fail seams: OpenClaw 2026\.9\.6 has changed at the seam output-place: /),
      expect.stringMatching(/^fail seams: .* runtime-context: it has no openclaw\.runtime-context,/),
      expect.stringMatching(/^fail seams: .* request-context: it has no ## Conversation Context,/),
    ])
  })

  test.each([
    { name: 'a system message', path: overHttp(`Speak of ${TOPIC}.`), seam: 'request-context' },
    { name: 'a quoted message', path: overChannel(replyTo(`Speak of ${TOPIC}.`)), seam: 'runtime-context' },
  ])('$name is recognised by other marks and evaluated, and the change is reported', async ({ path, seam }) => {
    const turn = await host().talk(path).turn('Hello.', { say: 'SEEN' })
    expect(turn.requests).toEqual([])
    const { states, gaps, faults } = await host().status()
    expect([states[seam], faults]).toEqual(['strayed', ''])
    expect(gaps).toContain(`at the seam ${seam}`)
  })

  test('no part of the first answer is sent; the person is informed, and no further run starts', async () => {
    const talk = host().talk(entryPaths.httpStream)
    const turn = await talk.turn('What is it?', { say: ANSWER })
    expect(turn.requests.length).toBe(1)
    expect(turn.shown.texts.join('\n')).not.toContain(tailOf(KEY))
    expect(turn.shown.last).toMatch(CLOSED)
    for (const path of Object.values(entryPaths)) {
      const next = await host().talk(path).turn('And now?', { say: 'SEEN' })
      expect([next.requests, next.shown.last]).toEqual([[], expect.stringMatching(CLOSED)])
    }
  })

  test('status, doctor, the log and the trace report it once each', async () => {
    const { states, faults } = await host().status()
    expect(states['output-place']).toBe('lost')
    expect(faults.match(/at the seam output-place/g)).toHaveLength(1)
    expect(await host().doctor()).toContainEqual(expect.stringMatching(/^fail gateway: CLOSED\. .*output-place/))
    expect((await host().logged()).filter((line) => line.includes('at the seam output-place'))).toHaveLength(1)
    expect((await host().gaps()).filter((line) => line.includes('at the seam output-place'))).toHaveLength(1)
  })
})

describe('the function that passes on whole messages', () => {
  const host = changed([
    { from: 'transformMessageText', to: 'rewriteMessage' },
    { from: 'transformContentText', to: 'rewriteContent' },
  ])

  test('no part of the first answer is sent, and no further run starts', async () => {
    const turn = await host().talk(entryPaths.httpStream).turn('What is it?', { say: ANSWER })
    expect(turn.shown.texts.join('\n')).not.toContain(tailOf(KEY))
    expect((await host().status()).states['output-place']).toBe('lost')
    const next = await host().talk(entryPaths.channel).turn('And now?', { say: 'SEEN' })
    expect([next.requests, next.shown.last]).toEqual([[], expect.stringMatching(CLOSED)])
  })
})

describe('the function that passes on arguments of calls', () => {
  const host = changed([{ from: 'transformToolCallArgumentText', to: 'rewriteArgument' }])

  test('the first call does not run, and no further run starts', async () => {
    const call = { tool: 'exec', input: { command: 'echo ran >> seams-ran.txt' } }
    const turn = await host()
      .talk(entryPaths.http)
      .turn('Go on.', { calls: [call] }, { say: 'SEEN' })
    expect(turn.shown.last).not.toContain('SEEN')
    expect(existsSync(`${host().gateway.workspace}/seams-ran.txt`)).toBe(false)
    expect((await host().status()).states['output-argument']).toBe('lost')
    const next = await host().talk(entryPaths.http).turn('And now?', { say: 'SEEN' })
    expect([next.requests, next.shown.last]).toEqual([[], expect.stringMatching(CLOSED)])
  })
})

describe('text transforms that are registered and never called, and no recognisable context beside a prompt', () => {
  const host = changed([
    { from: 'if (providerTextTransforms?.output?.length)', to: 'if (providerTextTransforms?.nothing?.length)' },
    ...['openclaw.runtime-context', 'openclaw-runtime-context'].map((mark) => ({
      from: JSON.stringify(mark),
      to: '"beside"',
    })),
    { from: 'runtimeContextCarrier', to: 'carrierOfContext' },
    { from: '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>', to: '<<<BEGIN_BESIDE>>>' },
  ])

  test('this is detected by the end of the first run: its session is closed, and all sessions after a second one', async () => {
    for (const path of [entryPaths.http, entryPaths.http]) {
      const talk = host().talk(path)
      await talk.turn('Hello.', { say: 'Hello.' })
      const again = await talk.turn('And now?', { say: 'SEEN' })
      expect([again.requests, again.shown.last]).toEqual([[], expect.stringMatching(CLOSED)])
    }
    const next = await host().talk(entryPaths.channel).turn('And now?', { say: 'SEEN' })
    expect([next.requests, next.shown.last]).toEqual([[], expect.stringMatching(CLOSED)])
    const { states } = await host().status()
    expect([states['text-transforms'], states['runtime-context']]).toEqual(['lost', 'lost'])
  })
})
