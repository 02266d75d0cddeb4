/** What the host does when nobody guards it: the ground that every other test of this folder stands on. */
import { beforeAll, expect, test } from 'vitest'
import { entryPaths } from './entry-paths.ts'
import { createLeakRun, scenariosOf, together } from './leak-run.ts'
import { openStage } from './stage.ts'
import { ENCODINGS, KINDS } from './values.ts'
import { WAYS_IN } from './ways-in.ts'

const stage = await openStage()

beforeAll(() => stage.usePlugins({}))

const columnsOf = async (word: string): Promise<readonly string[]> =>
  (await stage.tracesOf(word)).state.flatMap(({ column }) => column ?? [])

for (const path of Object.values(entryPaths)) {
  test(`${path.name}: a message is shown, reaches the model, is stored in the state and is sent again in the next turn`, async () => {
    const [asked, answered] = [stage.freshWord(), stage.freshWord()]
    const talk = stage.talk(path)
    const first = await talk.turn(`Tell me of ${asked}.`, { say: `It is ${answered}.` })
    expect(first.requests.length).toBe(1)
    expect(first.shown.last).toBe(`It is ${answered}.`)
    const second = await talk.turn('And what else?', { say: 'Nothing.' })
    const history = JSON.stringify(second.requests[0]?.body.messages)
    expect([history.includes(asked), history.includes(answered)]).toEqual([true, true])
    for (const word of [asked, answered]) {
      expect((await stage.tracesOf(word)).model).toBe(true)
      expect(await columnsOf(word)).toEqual(
        expect.arrayContaining([
          'transcript_events.event_json',
          'trajectory_runtime_events.event_json',
          'session_transcript_fts.text',
        ]),
      )
    }
  })

  test(`${path.name}: a tool runs, and the model receives its result in the same turn`, async () => {
    const word = stage.freshWord()
    const call = { tool: 'exec', input: { command: `echo result-${word}` } }
    const turn = await stage.talk(path).turn('Run it.', { calls: [call] }, { say: 'Done.' })
    expect(turn.shown.last).toBe('Done.')
    const results = turn.requests[1]?.body.messages.filter(({ role }) => role === 'tool') ?? []
    expect(results.map(({ content }) => content)).toEqual([`result-${word}`])
    expect(await columnsOf(`result-${word}`)).toContain('transcript_events.event_json')
  })
}

test('an agent can send a message on its own', async () => {
  const word = stage.freshWord()
  const input = { action: 'send', channel: 'testchannel', target: 'somebody', message: `Hello ${word}.` }
  await stage.talk(entryPaths.channel).turn('Greet them.', { calls: [{ tool: 'message', input }] }, { say: 'Done.' })
  expect((await stage.sent()).filter(({ text }) => text.includes(word))).toEqual([
    { to: 'somebody', text: `Hello ${word}.` },
  ])
})

test('openclaw-leaks finds every value in every encoding at a model, and personal data in the state', async () => {
  const { gateway } = stage
  const ways = WAYS_IN.filter(({ name }) => name === 'a message over http')
  const scenarios = scenariosOf(ways, KINDS, ENCODINGS, { name: stage.freshWord() })
  const run = createLeakRun(stage, { data: gateway.data, atATime: 2 })
  for (const part of together(scenarios, ENCODINGS, 5)) await run.bring(part)
  const valued = (await run.outcomes()).filter(({ value }) => value !== undefined)
  const unseen = valued.filter(({ leaks, stays }) => ![...leaks, ...stays].some((where) => where.includes('model')))
  // In its own tables the host masks the tokens that it knows.
  const personal = valued.filter(({ value }) => value?.kind.of === 'personal')
  const unkept = personal.filter(({ stays }) => !stays.some((where) => where.includes('sqlite')))
  expect([valued.length, unseen, unkept]).toEqual([KINDS.length * ENCODINGS.length, [], []])
}, 240_000)
