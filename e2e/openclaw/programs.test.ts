/** The host's commands: what runs without a gateway, and what the host itself says of the plugin. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DENIED_PROGRAM, TOPIC } from './guard-config.ts'
import { makeAside, runHost } from './host-cli.ts'
import { sallyportEntry } from './plugin-under-test.ts'
import { caseMark, writeScript } from './scripted-model.ts'
import { openStage } from './stage.ts'
import { searchState } from './state-search.ts'
import { modelSaw } from './talk.ts'

const stage = await openStage()
const { gateway } = stage

beforeAll(() => stage.guardWith({}))

const asideFor = (name: string) => makeAside(gateway, name, sallyportEntry({ data: join(gateway.root, name, 'data') }))

const INSPECTED = z.looseObject({
  typedHooks: z.array(z.looseObject({ name: z.string() })),
  diagnostics: z.array(z.unknown()),
  plugin: z.looseObject({ status: z.string() }),
})

/** Hooks that the host keeps from a plugin without the permission for conversations. */
const CONVERSATION = ['before_agent_reply', 'before_prompt_build', 'before_agent_run', 'llm_input', 'llm_output']

const jsonIn = (printed: string): unknown => JSON.parse(printed.slice(printed.indexOf('{')))

describe.concurrent('commands of the host', () => {
  test('plugins inspect: loaded, every hook registered, no problems', async () => {
    const aside = await asideFor('inspect')
    const { out } = await aside.run('plugins', 'inspect', 'sallyport', '--runtime', '--json')
    const { typedHooks, diagnostics, plugin } = INSPECTED.parse(jsonIn(out))
    expect(plugin.status).toBe('loaded')
    expect(diagnostics).toEqual([])
    expect(typedHooks.map(({ name }) => name)).toEqual(expect.arrayContaining(CONVERSATION))
  })

  test('sallyport status: queries the running gateway', async () => {
    const { out, code } = await runHost(['sallyport', 'status', '--json'], gateway.env, gateway.workspace)
    expect(jsonIn(out)).toMatchObject({ failClosed: true, modes: { 'inbound-block': 'deterministic' } })
    expect(code).toBe(0)
  })

  test('agent --local: a denied message reaches neither the model nor the state', async () => {
    const word = stage.freshWord()
    const aside = await asideFor('local')
    const say = [
      '--agent',
      'main',
      '--session-key',
      'agent:main:local',
      '--message',
      `Tell me of ${TOPIC} and ${word}.`,
    ]
    const { out } = await aside.run('agent', '--local', ...say, '--json')
    expect(out).toMatch(/refuses this topic/)
    expect(await modelSaw(gateway, word)).toBe(false)
    expect(await searchState(aside.state, word)).toEqual([])
  })

  test('agent exec: the host calls no hooks, so that the guard is not asked', async () => {
    const aside = await asideFor('exec')
    const caseId = stage.freshWord()
    const file = join(aside.workspace, 'made')
    const calls = [{ tool: 'exec', input: { command: `${DENIED_PROGRAM} ${file}` } }]
    await writeScript(gateway.model, caseId, [{ calls }, { say: 'Done.' }])
    await aside.run('agent', 'exec', `Make it. (${caseMark(caseId)})`, '--json')
    expect(existsSync(file)).toBe(true)
  })
})
