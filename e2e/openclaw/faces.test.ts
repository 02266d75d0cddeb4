/** What the plugin shows beside its twelve promises: the model's tools, its RPC, the host's own approvals, coverage. */
import { existsSync } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { entryPaths } from './entry-paths.ts'
import { ASKED_PROGRAM, only, TOPIC } from './guard-config.ts'
import { sallyportEntry } from './plugin-under-test.ts'
import { openStage } from './stage.ts'
import type { TurnResult } from './talk.ts'

const stage = await openStage()
const { channel, http } = entryPaths
const PATHS = [channel, http]

const PROBABILISTIC = {
  fail_closed: false,
  inbound_block_mode: 'off',
  audit_mode: 'probabilistic',
  context_injection_mode: 'probabilistic',
  tool_gating_mode: 'probabilistic',
  outbound_block_mode: 'off',
  outbound_mode: 'probabilistic',
} as const

const RESULT = z.looseObject({})

/** What the model was told by the last tool it called, as JSON. */
const lastResult = (turn: TurnResult): z.infer<typeof RESULT> => {
  const last = turn.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool')
  const content = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content)
  return RESULT.parse(JSON.parse(content))
}

describe("the model's own tools", () => {
  beforeAll(() => stage.guardWith(PROBABILISTIC))

  const SCANS = [
    { tool: 'sallyport_scan', input: { prompt: `Of ${TOPIC}.` }, gives: { action: 'block' } },
    { tool: 'sallyport_scan', input: { prompt: 'Of pumpkins.' }, gives: { action: 'allow', severity: 'SAFE' } },
    { tool: 'sallyport_scan_prompt', input: { prompt: `Of ${TOPIC}.` }, gives: { action: 'block' } },
    { tool: 'sallyport_scan_response', input: { response: `Of ${TOPIC}.` }, gives: { action: 'block' } },
    { tool: 'sallyport_scan_response', input: { response: 'Of pumpkins.' }, gives: { action: 'allow' } },
  ] as const

  for (const { tool, input, gives } of SCANS)
    test(`${tool} of ${JSON.stringify(input)}: ${gives.action}`, async () => {
      const turn = await stage.talk(channel).turn('Scan it.', { calls: [{ tool, input }] }, { say: 'Done.' })
      expect(lastResult(turn)).toMatchObject(gives)
    })

  test('findings in a prompt decide which tools are safe', async () => {
    const scan = { tool: 'sallyport_scan_prompt', input: { prompt: `Of ${TOPIC}.` } }
    const check = { tool: 'sallyport_check_tool_safety', input: { toolName: 'exec' } }
    const talk = stage.talk(channel)
    const before = await talk.turn('Is it safe?', { calls: [check] }, { say: 'Done.' })
    expect(lastResult(before)).toMatchObject({ allowed: true })
    const after = await talk.turn('And now?', { calls: [scan] }, { calls: [check] }, { say: 'Done.' })
    expect(lastResult(after)).toMatchObject({ allowed: false })
  })
})

const APPROVAL = z.looseObject({ id: z.string() })

describe('a call that needs an approval, by the approvals of the host', () => {
  beforeAll(() => stage.guardWith(only('tool_guard_mode')))

  for (const path of PATHS)
    for (const { decision, made } of [
      { decision: 'allow-once', made: true },
      { decision: 'deny', made: false },
    ] as const)
      test(`${path.name}: ${decision}`, async () => {
        const file = join(stage.gateway.workspace, stage.freshWord())
        const from = stage.rpc.events.length
        const command = `${ASKED_PROGRAM} /dev/null > ${file}`
        const turn = stage
          .talk(path)
          .turn('Make it.', { calls: [{ tool: 'exec', input: { command } }] }, { say: 'Done.' })
        const asked = await stage.rpc.waitFor(
          (event) => event.event === 'plugin.approval.requested' && stage.rpc.events.indexOf(event) >= from,
          30_000,
        )
        expect(existsSync(file)).toBe(false)
        expect(JSON.stringify(asked.payload)).toMatch(/for a person to decide on/)
        await stage.rpc.call('plugin.approval.resolve', { id: APPROVAL.parse(asked.payload).id, decision })
        expect((await turn).shown.last).toBe('Done.')
        expect(existsSync(file)).toBe(made)
      })
})

test('RPC: the status reports the modes, and a scan returns a complete result', async () => {
  await stage.guardWith({})
  expect(JSON.stringify(await stage.rpc.call('sallyport.status', {}))).toContain('inbound-block')
  expect(await stage.rpc.call('sallyport.scan', { prompt: `Of ${TOPIC}.` })).toMatchObject({
    action: 'block',
    categories: ['topic_violation_prompt'],
  })
  expect(await stage.rpc.call('sallyport.scan', { prompt: 'Of pumpkins.' })).toMatchObject({ action: 'allow' })
})

/** Files below the data folder that the gateway's process holds open. */
const openRecords = async (): Promise<readonly string[]> => {
  const fds = `/proc/${stage.gateway.pid}/fd`
  const files = await Promise.all((await readdir(fds)).map((fd) => readlink(join(fds, fd)).catch(() => '')))
  return files.filter((file) => file.startsWith(stage.gateway.data))
}

test.runIf(process.platform === 'linux')('a plugin that is switched off has closed its records', async () => {
  await stage.guardWith({})
  await stage.talk(channel).turn('Hello.', { say: 'Hello.' })
  expect(await openRecords()).not.toEqual([])
  await stage.usePlugins({})
  await stage.talk(channel).turn('Hello.', { say: 'Hello.' })
  expect(await openRecords()).toEqual([])
})

test('without the permission for conversations the status lists what is not protected', async () => {
  await stage.usePlugins({ sallyport: { ...sallyportEntry({ data: stage.gateway.data }), hooks: {} } })
  expect(JSON.stringify(await stage.rpc.call('sallyport.status', {}))).toContain('may not read conversations')
})
