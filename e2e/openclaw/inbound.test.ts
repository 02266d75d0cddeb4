/** Promise 1, inbound-block: a message that is not allowed reaches neither the model nor any later turn nor the state. */
import { beforeAll, describe, expect, test } from 'vitest'
import { entryPaths, overHttp } from './entry-paths.ts'
import { only, TOPIC } from './guard-config.ts'
import { openStage, tailOf } from './stage.ts'
import type { Talk } from './talk.ts'

const stage = await openStage()

/** The next turn of a talk goes on as always, and the model sees nothing of a text in it. */
const expectNextTurnWithout = async (talk: Talk, text: string): Promise<void> => {
  const next = await talk.turn('And what else?', { say: 'Nothing else.' })
  expect(next.shown.last).toBe('Nothing else.')
  expect(JSON.stringify(next.requests.map(({ body }) => body))).not.toContain(text)
}

const SETTINGS = [
  { name: 'inbound-block alone', config: only('inbound_block_mode'), paths: [entryPaths.channel, entryPaths.http] },
  { name: 'everything on', config: {}, paths: Object.values(entryPaths) },
] as const

for (const { name, config, paths } of SETTINGS)
  describe(name, () => {
    beforeAll(() => stage.guardWith(config))

    for (const path of paths) {
      test(`${path.name}: a denied message is not processed, and the person is informed`, async () => {
        const word = stage.freshWord()
        const talk = stage.talk(path)
        const turn = await talk.turn(`Tell me of ${TOPIC} and ${word}.`, { say: 'SEEN' })
        expect(turn.requests).toEqual([])
        expect(turn.shown.texts.join('\n')).toMatch(/refuses this topic/)
        await expectNextTurnWithout(talk, word)
        expect(await stage.tracesOf(word)).toEqual({ model: false, state: [] })
      })

      test(`${path.name}: an allowed message is passed on unchanged`, async () => {
        const word = stage.freshWord()
        const talk = stage.talk(path)
        const turn = await talk.turn(`Tell me of pumpkins and ${word}.`, { say: 'They are orange.' })
        expect(turn.shown.last).toBe('They are orange.')
        expect(JSON.stringify(turn.requests[0]?.body.messages)).toContain(`Tell me of pumpkins and ${word}.`)
        const next = await talk.turn('And what else?', { say: 'Nothing else.' })
        expect(JSON.stringify(next.requests[0]?.body.messages)).toContain(word)
      })
    }

    for (const path of [entryPaths.channel, entryPaths.http])
      test(`${path.name}: a live key in a message reaches neither the model nor the state`, async () => {
        const key = stage.freshKey()
        const talk = stage.talk(path)
        await talk.turn(`Use the token ${key} for it.`, { say: 'Understood.' })
        await expectNextTurnWithout(talk, tailOf(key))
        expect(await stage.tracesOf(tailOf(key))).toEqual({ model: false, state: [] })
      })
  })

describe('what a caller sends beside the message', () => {
  beforeAll(() => stage.guardWith({}))

  test('a denied system message prevents the run', async () => {
    const word = stage.freshWord()
    const talk = stage.talk(overHttp(`Speak of ${TOPIC} and ${word}.`))
    const turn = await talk.turn('Hello.', { say: 'SEEN' })
    expect(turn.requests).toEqual([])
    expect(turn.shown.texts.join('\n')).not.toContain('SEEN')
    expect((await stage.tracesOf(word)).model).toBe(false)
  })

  test('any other system message reaches the model', async () => {
    const word = stage.freshWord()
    const turn = await stage.talk(overHttp(`Speak of pumpkins and ${word}.`)).turn('Hello.', { say: 'SEEN' })
    expect(turn.shown.last).toBe('SEEN')
    expect((await stage.tracesOf(word)).model).toBe(true)
  })
})

test('control: with the plugin loaded and every protection off, the same message is answered', async () => {
  await stage.guardWith(only())
  const word = stage.freshWord()
  const turn = await stage.talk(entryPaths.channel).turn(`Tell me of ${TOPIC} and ${word}.`, { say: 'SEEN' })
  expect(turn.shown.last).toBe('SEEN')
  expect((await stage.tracesOf(word)).model).toBe(true)
})
