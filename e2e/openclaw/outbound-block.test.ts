/** Promise 2, outbound-block: an answer that is not allowed is neither delivered nor kept for later turns. */
import { beforeAll, describe, expect, test } from 'vitest'
import { entryPaths } from './entry-paths.ts'
import { only, TOPIC } from './guard-config.ts'
import { openStage, tailOf } from './stage.ts'
import { KINDS } from './values.ts'

const stage = await openStage()

/** Kinds of values that are written in several words, or lines. */
const IN_WORDS = ['a private key', 'a card number', 'a telephone number']

const SETTINGS = [
  { name: 'outbound-block alone', config: only('outbound_block_mode'), paths: [entryPaths.channel, entryPaths.http] },
  { name: 'everything on', config: {}, paths: Object.values(entryPaths) },
] as const

for (const { name, config, paths } of SETTINGS)
  describe(name, () => {
    beforeAll(() => stage.guardWith(config))

    for (const path of paths) {
      test(`${path.name}: a denied answer is neither shown nor stored`, async () => {
        const word = stage.freshWord()
        const talk = stage.talk(path)
        const turn = await talk.turn('Tell me all.', { say: `It is ${TOPIC}, and ${word} too.` })
        expect(turn.requests.length).toBeGreaterThan(0)
        expect(turn.shown.texts.join('\n')).not.toContain(word)
        const next = await talk.turn('And what else?', { say: 'Nothing else.' })
        expect(next.shown.last).toBe('Nothing else.')
        expect(JSON.stringify(next.requests.map(({ body }) => body))).not.toContain(word)
        expect((await stage.tracesOf(word)).state).toEqual([])
      })

      test(`${path.name}: an allowed answer is shown and stored unchanged`, async () => {
        const word = stage.freshWord()
        const talk = stage.talk(path)
        const said = `Pumpkins are orange.\n\nAnd ${word}: see https://example.com/a?b=c#d, "quoted", 100 %.`
        const turn = await talk.turn('Tell me all.', { say: said })
        expect(turn.shown.last).toBe(said)
        const next = await talk.turn('And what else?', { say: 'Nothing else.' })
        expect(JSON.stringify(next.requests[0]?.body.messages)).toContain(word)
      })

      test(`${path.name}: a secret in an answer is masked on screen and in the state`, async () => {
        const key = stage.freshKey()
        const talk = stage.talk(path)
        const turn = await talk.turn('What is the token?', { say: `The token is ${key} as asked.` })
        expect(turn.shown.texts.join('\n')).not.toContain(tailOf(key))
        expect(turn.shown.last).toMatch(/^The token is .+ as asked\.$/)
        const next = await talk.turn('And what else?', { say: 'Nothing else.' })
        expect(JSON.stringify(next.requests.map(({ body }) => body))).not.toContain(tailOf(key))
        expect((await stage.tracesOf(tailOf(key))).state).toEqual([])
      })

      test(`${path.name}: a value of several words is masked in place, and the answer is complete`, async () => {
        const talk = stage.talk(path)
        for (const { text, core } of KINDS.filter(({ name: kind }) => IN_WORDS.includes(kind)).map((kind) =>
          kind.make(),
        )) {
          const { shown } = await talk.turn('What is it?', { say: `It is this: ${text} as asked, and no other.` })
          expect(shown.last).toMatch(/^It is this: \[masked:[a-z-]+\] as asked, and no other\.$/)
          expect(shown.texts.join('\n')).not.toContain(core)
          expect(shown.texts.join('\n')).not.toContain('"error"')
        }
      })
    }

    for (const path of [entryPaths.channel, entryPaths.http])
      test(`${path.name}: a denied text beside a call is withheld, and the call runs`, async () => {
        const word = stage.freshWord()
        const call = { tool: 'exec', input: { command: `echo ran-${word}` } }
        const talk = stage.talk(path)
        const turn = await talk.turn(
          'Continue.',
          { say: `First ${TOPIC} hush${word}.`, calls: [call] },
          { say: 'Done.' },
        )
        expect(turn.shown.last).toBe('Done.')
        expect(turn.shown.texts.join('\n')).not.toContain(`hush${word}`)
        expect(JSON.stringify(turn.requests[1]?.body.messages)).not.toContain(`hush${word}`)
        expect(JSON.stringify(turn.requests[1]?.body.messages)).toContain(`ran-${word}`)
        expect((await stage.tracesOf(`hush${word}`)).state).toEqual([])
      })
  })
