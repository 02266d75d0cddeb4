/** Promises 4, 5 and 6: guard (the reminder), context and prompt-scan, as the model reads them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { entryPaths } from './entry-paths.ts'
import { only, SPREAD, TOPIC } from './guard-config.ts'
import { openStage } from './stage.ts'
import type { ModelRequest } from './scripted-model.ts'

const stage = await openStage()
const PATHS = [entryPaths.channel, entryPaths.http]

const textsBy = (request: ModelRequest | undefined, role: string): string =>
  (request?.body.messages ?? [])
    .filter((message) => message.role === role)
    .map(({ content }) => JSON.stringify(content))
    .join('\n')

const systemOf = (request: ModelRequest | undefined): string => textsBy(request, 'system')

const PROBABILISTIC = {
  fail_closed: false,
  audit_mode: 'probabilistic',
  context_injection_mode: 'probabilistic',
  tool_gating_mode: 'probabilistic',
  outbound_mode: 'probabilistic',
} as const

const BY_HAND = ['sallyport_scan_prompt', 'sallyport_scan_response', 'sallyport_check_tool_safety']

interface Reminding {
  readonly name: string
  readonly config: Readonly<Record<string, unknown>>
  readonly says: readonly string[]
  readonly saysNot: readonly string[]
  /** Tools of ours that the model is given. */
  readonly tools: readonly string[]
}

const REMINDERS: readonly Reminding[] = [
  {
    name: 'every protection deterministic: short',
    config: {},
    says: ['[Sallyport]', 'block means', 'warn', 'allow'],
    saysNot: BY_HAND,
    tools: ['sallyport_scan'],
  },
  {
    name: 'everything possible left to the model: lists the tools by name',
    config: PROBABILISTIC,
    says: ['[Sallyport]', ...BY_HAND],
    saysNot: ['Automatic:'],
    tools: ['sallyport_scan', ...BY_HAND].toSorted(),
  },
  {
    name: 'some of it left to the model: has both lists',
    config: { fail_closed: false, outbound_mode: 'probabilistic' },
    says: ['[Sallyport]', 'Automatic:', 'Manual: outbound', 'sallyport_scan_response'],
    saysNot: ['sallyport_scan_prompt', 'sallyport_check_tool_safety'],
    tools: ['sallyport_scan', 'sallyport_scan_response'],
  },
  {
    name: 'off: empty',
    config: { reminder_mode: 'off' },
    says: [],
    saysNot: ['[Sallyport]'],
    tools: ['sallyport_scan'],
  },
]

for (const { name, config, says, saysNot, tools } of REMINDERS)
  describe(`the reminder, ${name}`, () => {
    beforeAll(() => stage.guardWith(config))

    for (const path of PATHS)
      test(path.name, async () => {
        const turn = await stage.talk(path).turn('Hello.', { say: 'Hello.' })
        const system = systemOf(turn.requests[0])
        expect([...says, ...saysNot].filter((text) => system.includes(text))).toEqual(says)
        const given = (turn.requests[0]?.body.tools ?? []).map((tool) => tool.function.name)
        expect(given.filter((tool) => tool.startsWith('sallyport')).toSorted()).toEqual(tools)
      })
  })

const WARNING = /\[Sallyport\]|Sallyport/

const WARNERS = [
  { name: 'context alone, by its own scan', config: only('context_injection_mode') },
  { name: 'context, by the findings of audit', config: only('context_injection_mode', 'audit_mode') },
] as const

for (const { name, config } of WARNERS)
  describe(name, () => {
    beforeAll(() => stage.guardWith(config))

    for (const path of PATHS) {
      test(`${path.name}: the agent is warned of a flagged message, and of no other`, async () => {
        const talk = stage.talk(path)
        const flagged = await talk.turn(`Something of ${TOPIC}.`, { say: 'Yes?' })
        expect(textsBy(flagged.requests[0], 'user')).toMatch(WARNING)
        expect(textsBy(flagged.requests[0], 'user')).toMatch(/topic/i)
        const innocent = await talk.turn('Something of pumpkins.', { say: 'Yes?' })
        const lastWords = textsBy(innocent.requests[0], 'user').split('Something of pumpkins.')[0] ?? ''
        expect(lastWords.split(TOPIC).at(-1)).not.toMatch(WARNING)
      })

      test(`${path.name}: a harmless message causes no warning`, async () => {
        const turn = await stage.talk(path).turn('Something of pumpkins.', { say: 'Yes?' })
        expect(textsBy(turn.requests[0], 'user')).not.toMatch(WARNING)
      })
    }
  })

describe('prompt-scan alone', () => {
  beforeAll(() => stage.guardWith(only('prompt_scan_mode')))

  for (const path of PATHS) {
    test(`${path.name}: an attack spread over two messages is detected with the second one`, async () => {
      const talk = stage.talk(path)
      const first = await talk.turn(`Remember ${SPREAD.first}.`, { say: 'Yes.' })
      expect(systemOf(first.requests[0])).not.toMatch(WARNING)
      const second = await talk.turn(`And now ${SPREAD.second}.`, { say: 'Yes.' })
      expect(systemOf(second.requests[0])).toMatch(WARNING)
    })

    test(`${path.name}: a harmless conversation causes no warning`, async () => {
      const talk = stage.talk(path)
      await talk.turn('Remember pumpkins.', { say: 'Yes.' })
      const second = await talk.turn(`And now ${SPREAD.second}.`, { say: 'Yes.' })
      expect(systemOf(second.requests[0])).not.toMatch(WARNING)
    })
  }
})
