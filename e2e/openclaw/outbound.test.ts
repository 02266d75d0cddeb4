/** Promise 9, outbound: what leaves for a channel is scanned; what is not allowed does not leave, secrets are masked. */
import { beforeAll, describe, expect, test } from 'vitest'
import { entryPaths } from './entry-paths.ts'
import { only, TOPIC } from './guard-config.ts'
import { openStage, PERSONAL, tailOf } from './stage.ts'

const stage = await openStage()
const { channel } = entryPaths

const sendTo = (target: string, message: string) => ({
  tool: 'message',
  input: { action: 'send', channel: 'testchannel', target, message },
})

/** What was sent to somebody of the agent's own accord. */
const sentTo = async (target: string): Promise<readonly string[]> =>
  (await stage.sent()).filter(({ to }) => to === target).map(({ text }) => text)

describe('outbound alone', () => {
  beforeAll(() => stage.guardWith(only('outbound_mode')))

  test('a denied reply is not sent, and the person is informed', async () => {
    const word = stage.freshWord()
    const turn = await stage.talk(channel).turn('Tell me.', { say: `It is ${TOPIC}, and ${word}.` })
    expect(turn.shown.texts.join('\n')).not.toContain(word)
    expect(turn.shown.last).toMatch(/refuses this topic/)
  })

  test('a secret in a reply is masked, and the rest is sent', async () => {
    const key = stage.freshKey()
    const turn = await stage.talk(channel).turn('Tell me.', { say: `The token is ${key} as asked.` })
    expect(turn.shown.last).toMatch(/^The token is .+ as asked\.$/)
    expect(turn.shown.texts.join('\n')).not.toContain(tailOf(key))
  })

  // Known to fail, and must until it is mended: by default the policies mask secrets and no personal data.
  test('personal data in a reply are masked', async () => {
    const turn = await stage.talk(channel).turn('Tell me.', { say: `The number is ${PERSONAL.ssn} as asked.` })
    expect(turn.shown.last).toMatch(/^The number is .+ as asked\.$/)
    expect(turn.shown.texts.join('\n')).not.toContain(PERSONAL.ssn)
  })

  test('an allowed reply is sent unchanged', async () => {
    const turn = await stage.talk(channel).turn('Tell me.', { say: 'Pumpkins are orange.\n\n- so\n- are these' })
    expect(turn.shown.last).toBe('Pumpkins are orange.\n\n- so\n- are these')
  })

  test('the same applies to messages that the agent sends on its own', async () => {
    const [target, key] = [stage.freshWord(), stage.freshKey()]
    const calls = [
      sendTo(target, `It is ${TOPIC}.`),
      sendTo(target, `The token is ${key} as asked.`),
      sendTo(target, 'Hello.'),
    ]
    const talk = stage.talk(channel)
    await talk.turn('Greet them.', ...calls.map((call) => ({ calls: [call] })), { say: 'Done.' })
    const texts = await sentTo(target)
    expect(texts.join('\n')).not.toContain(TOPIC)
    expect(texts.join('\n')).not.toContain(tailOf(key))
    expect(texts).toContain('Hello.')
  })
})

test('with dlp_mask_only off a secret blocks the whole reply', async () => {
  const config = { ...only('outbound_mode'), dlp_mask_only: false }
  await stage.guardWith(config)
  const [word, key] = [stage.freshWord(), stage.freshKey()]
  const turn = await stage.talk(channel).turn('Tell me.', { say: `The token is ${key}, ${word}.` })
  expect(turn.shown.texts.join('\n')).not.toContain(word)
  expect(turn.shown.texts.join('\n')).not.toContain(tailOf(key))
})
