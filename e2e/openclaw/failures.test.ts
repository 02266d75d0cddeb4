/** What happens when no verdict can be had: the step does not happen, wherever the host lets it be stopped. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { entryPaths, type EntryPath } from './entry-paths.ts'
import { startFailingScanner, type Failure } from './failing-scanner.ts'
import { sallyportEntry } from './plugin-under-test.ts'
import { openStage } from './stage.ts'

const stage = await openStage()
const scanner = await startFailingScanner()
afterAll(() => scanner.close())

const PATHS = [entryPaths.channel, entryPaths.http]

/** Ways of failing; what is only another kind of nonsense is tried where nothing but our own hooks stands guard. */
const FAILURES: readonly {
  readonly how: Failure
  readonly all: readonly EntryPath[]
  readonly some: readonly EntryPath[]
}[] = [
  { how: 'down', all: Object.values(entryPaths), some: PATHS },
  { how: 'silent', all: Object.values(entryPaths), some: PATHS },
  { how: 'garbage', all: PATHS, some: [entryPaths.http] },
  { how: 'half an answer', all: [entryPaths.http], some: [entryPaths.http] },
  { how: 'no such verdict', all: [entryPaths.http], some: [entryPaths.http] },
]

const INBOUND = ['message_received', 'before_dispatch', 'before_agent_reply', 'before_agent_run']
const OUTBOUND = ['before_agent_finalize', 'reply_payload_sending', 'message_sending']
/** Looked at beside the turn: they hold nothing back, and their failing stops nothing. */
const BESIDE = ['before_prompt_build', 'llm_input', 'llm_output', 'after_tool_call']

const inWorkspace = (name: string): string => join(stage.gateway.workspace, name)
const exec = (command: string) => ({ tool: 'exec', input: { command } })

describe('the scanner is on a server, with every protection on', () => {
  // The records are the server's own then, so no data folder is named.
  beforeAll(() => stage.usePlugins({ sallyport: sallyportEntry({ server: { url: scanner.url }, deadline_ms: 1000 }) }))
  beforeEach(() => scanner.failAt([], 'down'))

  for (const path of Object.values(entryPaths))
    test(`${path.name}: control: with a scanner that answers, message, call and reply pass`, async () => {
      const word = stage.freshWord()
      const calls = [exec(`touch ${inWorkspace(word)}; echo made ${word}`)]
      const turn = await stage.talk(path).turn('Make it.', { calls }, { say: 'Done.' })
      expect(turn.shown.last).toBe('Done.')
      expect(existsSync(inWorkspace(word))).toBe(true)
      expect(JSON.stringify(turn.requests[1]?.body.messages)).toContain(`made ${word}`)
    })

  for (const { how, all, some } of FAILURES) {
    for (const path of all)
      test(`${how}, ${path.name}: a message is not answered, and the person is informed`, async () => {
        scanner.failAt(INBOUND, how)
        const word = stage.freshWord()
        const talk = stage.talk(path)
        const turn = await talk.turn(`Tell me of ${word}.`, { say: 'SEEN' })
        expect(turn.requests).toEqual([])
        expect(turn.shown.texts.join('\n')).toMatch(/Sallyport|guard|verdict/i)
        scanner.failAt([], how)
        const next = await talk.turn('Are you there?', { say: 'Yes.' })
        expect(next.shown.last).toBe('Yes.')
        expect(await stage.tracesOf(word)).toEqual({ model: false, state: [] })
      })

    for (const path of some) {
      test(`${how}, ${path.name}: a tool does not run`, async () => {
        scanner.failAt(['before_tool_call'], how)
        const word = stage.freshWord()
        const turn = await stage
          .talk(path)
          .turn('Make it.', { calls: [exec(`touch ${inWorkspace(word)}`)] }, { say: 'No.' })
        expect(existsSync(inWorkspace(word))).toBe(false)
        expect(turn.shown.last).toBe('No.')
      })

      test(`${how}, ${path.name}: a result does not reach the model`, async () => {
        scanner.failAt(['tool_result'], how)
        const word = stage.freshWord()
        await writeFile(inWorkspace(word), `inside${word}`)
        const turn = await stage
          .talk(path)
          .turn('Read it.', { calls: [exec(`cat ${inWorkspace(word)}`)] }, { say: 'No.' })
        expect(turn.shown.last).toBe('No.')
        expect(JSON.stringify(turn.requests.map(({ body }) => body))).not.toContain(`inside${word}`)
      })

      test(`${how}, ${path.name}: an audit beside the turn does not delay it`, async () => {
        scanner.failAt(BESIDE, how)
        const turn = await stage.talk(path).turn('Hello.', { calls: [exec('echo hello')] }, { say: 'Done.' })
        expect(turn.shown.last).toBe('Done.')
      })
    }

    for (const path of all)
      test(`${how}, ${path.name}: a reply is not sent, also after retries`, async () => {
        scanner.failAt(OUTBOUND, how)
        const word = stage.freshWord()
        // The host may have the model answer again, several times over: it keeps to its word.
        const stubborn = Array.from({ length: 8 }, () => ({ say: `It is ${word}, and that is all there is to say.` }))
        const turn = await stage.talk(path).turn('Tell me.', ...stubborn)
        expect(turn.shown.texts.join('\n')).not.toContain(word)
      })
  }
})

test('the records cannot be opened: no message is answered, and the person is informed', async () => {
  const file = inWorkspace(stage.freshWord())
  await writeFile(file, 'a file where a folder should be')
  await stage.guardWith({ data: file })
  for (const path of PATHS) {
    const turn = await stage.talk(path).turn('Hello.', { say: 'SEEN' })
    expect(turn.requests).toEqual([])
    expect(turn.shown.texts.join('\n')).not.toContain('SEEN')
  }
})

const WRONG_SETTINGS = [
  {
    name: 'fail_closed with a protection left to the model',
    config: { fail_closed: true, audit_mode: 'probabilistic' },
  },
  { name: 'an unknown mode', config: { audit_mode: 'sometimes' } },
  { name: 'an unknown key', config: { audit_moed: 'off' } },
] as const

for (const { name, config } of WRONG_SETTINGS)
  test(`${name}: the host refuses the configuration and names the key`, async () => {
    const key = Object.keys(config)[0]
    await expect(stage.guardWith(config)).rejects.toThrow(new RegExp(`sallyport\\.config.*${key}`))
  })
