/** Why guards written the old way do not hold on this host: each test is a promise broken, kept so that it is known. */
import { beforeAll, expect, test } from 'vitest'
import { entryPaths } from './entry-paths.ts'
import { openStage } from './stage.ts'

const stage = await openStage()

beforeAll(() => stage.usePlugins({ 'old-ways': { enabled: true } }))

const { channel, http } = entryPaths

for (const path of [channel, http]) {
  test(`${path.name}: an asynchronous before_message_write blocks nothing`, async () => {
    const [asked, answered] = [stage.freshWord(), stage.freshWord()]
    const talk = stage.talk(path)
    const first = await talk.turn(`BLOCKLATER ${asked}`, { say: `BLOCKLATER ${answered}` })
    expect(first.shown.last).toBe(`BLOCKLATER ${answered}`)
    const second = await talk.turn('And then?', { say: 'Nothing.' })
    const history = JSON.stringify(second.requests[0]?.body.messages)
    expect([history.includes(asked), history.includes(answered)]).toEqual([true, true])
    expect((await stage.tracesOf(asked)).state).not.toEqual([])
  })

  test(`${path.name}: a synchronous one keeps an answer out of the next turn, but the answer is shown`, async () => {
    const word = stage.freshWord()
    const talk = stage.talk(path)
    const first = await talk.turn('Tell me.', { say: `BLOCKATONCE ${word}` })
    expect(first.shown.last).toBe(`BLOCKATONCE ${word}`)
    const second = await talk.turn('And then?', { say: 'Nothing.' })
    expect(JSON.stringify(second.requests[0]?.body.messages)).not.toContain(word)
  })
}

test('channel: a message_sending that throws lets the message pass', async () => {
  const word = stage.freshWord()
  const turn = await stage.talk(channel).turn('Tell me.', { say: `THROWONSEND ${word}` })
  expect(turn.shown.last).toBe(`THROWONSEND ${word}`)
})

test('channel: one that cancels withholds the message, but the state keeps it', async () => {
  const word = stage.freshWord()
  const talk = stage.talk(channel)
  const turn = await talk.turn('Tell me.', { say: `CANCELONSEND ${word}` })
  expect(turn.shown.texts.join('')).not.toContain(word)
  const second = await talk.turn('And then?', { say: 'Nothing.' })
  expect(JSON.stringify(second.requests[0]?.body.messages)).toContain(word)
})

for (const path of [http, entryPaths.httpStream, entryPaths.webchat]) {
  test(`${path.name}: message_sending is not called, so that no message is withheld`, async () => {
    const word = stage.freshWord()
    const turn = await stage.talk(path).turn('Tell me.', { say: `CANCELONSEND ${word}` })
    expect(turn.shown.last).toBe(`CANCELONSEND ${word}`)
  })
}
