/**
 * One conversation's words that become another's prompt, by every way the host has for that: what is sensitive in them
 * stands in no request to a model and in no table or file of the host, whatever its kind, and the conversations go on.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { entryPaths, overChannel, overHttp, type EntryPath } from './entry-paths.ts'
import { openStage } from './stage.ts'
import type { Talk } from './talk.ts'

const stage = await openStage()
beforeAll(() => stage.guardWith({}))

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const random = (length: number, from = LETTERS): string =>
  Array.from({ length }, () => from[randomInt(from.length)]).join('')

/** A value made now, and the part of it that nothing keeps once it is masked. */
interface Value {
  readonly text: string
  readonly core: string
}

const withCore = (core: string, around: (core: string) => string): Value => ({ text: around(core), core })

/** Sensitive values of several kinds, made at run time. */
const KINDS: Readonly<Record<string, () => Value>> = {
  'a token of a code host': () => withCore(random(36), (core) => `${['ghp', '_'].join('')}${core}`),
  'a key of a cloud': () => withCore(random(40), (core) => `${['AWS', 'SECRET_ACCESS_KEY'].join('_')}=${core}`),
  'a private key': () =>
    withCore(
      random(64),
      (core) =>
        ['-----BEGIN', 'PRIVATE KEY-----\n'].join(' ') + `${core}\n` + ['-----END', 'PRIVATE KEY-----'].join(' '),
    ),
  'a password in an address': () => withCore(random(20), (core) => `postgres://app:${core}@db.example.com/app`),
}

/** How words come from one conversation to another. `brings` sends the words on their way; it ends when they have come. */
interface Way {
  readonly name: string
  brings(words: string, mine: () => Talk): Promise<Talk>
}

const handing = (path: EntryPath, tool: string, inputOf: (words: string, other: Talk) => object): Way => ({
  name: `${tool}, ${path.name}`,
  brings: async (words, mine) => {
    const other = stage.talk(path)
    await other.turn('Hello.', { say: 'Good day.' })
    const talk = mine()
    // Without a case of its own: what comes back of it would else be taken for the talk's next case.
    const input = { ...inputOf(words, other) }
    await talk.turn('Go on.', { calls: [{ tool, input }] }, { say: 'It is on its way.' }, { say: 'NO_REPLY' })
    await sleep(3_000)
    return talk
  },
})

const brought = (name: string, pathOf: (words: string) => EntryPath): Way => ({
  name,
  brings: async (words) => {
    const talk = stage.talk(pathOf(words))
    await talk.turn('What do you make of it?', { say: 'Nothing much.' })
    return talk
  },
})

const talkOver = (path: EntryPath) => (): Talk => stage.talk(path)

const WAYS: readonly Way[] = [
  handing(entryPaths.channel, 'sessions_spawn', (task) => ({ task })),
  handing(entryPaths.http, 'sessions_spawn', (task) => ({ task })),
  handing(entryPaths.channel, 'sessions_send', (message, { sessionKey }) => ({ sessionKey, message })),
  brought('a quoted message', (words) => overChannel(words)),
  brought('a system message over HTTP', (words) => overHttp(words)),
]

for (const way of WAYS)
  describe(way.name, () => {
    for (const [kind, make] of Object.entries(KINDS))
      test(`${kind} reaches no model and rests nowhere, and the talk goes on`, async () => {
        const { text, core } = make()
        const path = way.name.includes('http') || way.name.includes('HTTP') ? entryPaths.http : entryPaths.channel
        const talk = await way.brings(`Work with this: ${text}`, talkOver(path))
        expect(await stage.tracesOf(core)).toEqual({ model: false, state: [] })
        const next = await talk.turn('And now to something else.', { say: 'With pleasure.' })
        expect(next.shown.last).toBe('With pleasure.')
      })

    test('control: words that are not sensitive come there', async () => {
      const word = stage.freshWord()
      const path = way.name.includes('http') || way.name.includes('HTTP') ? entryPaths.http : entryPaths.channel
      await way.brings(`Work with this: ${word}`, talkOver(path))
      expect((await stage.tracesOf(word)).model).toBe(true)
    })
  })
