/** Promises 3, 11 and 12: audit, llm-audit and tool-audit, as the trace tells them. They hold nothing back. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { entryPaths } from './entry-paths.ts'
import { only, TOPIC } from './guard-config.ts'
import { openStage, tailOf } from './stage.ts'
import type { Talk } from './talk.ts'

const stage = await openStage()
const PATHS = [entryPaths.channel, entryPaths.http]

const use = (config: Readonly<Record<string, unknown>>) => () => stage.guardWith(config)

const DECISION = z.looseObject({
  step: z.looseObject({ kind: z.string(), event: z.string(), payload: z.looseObject({}) }),
  verdict: z.looseObject({ decision: z.string() }),
})

type Decision = z.infer<typeof DECISION>

const ATTEMPTS = 10

/** The decisions about a talk's steps of a kind, whole; what is recorded beside the turn may come a moment after it. */
const decisionsOn = async (talk: Talk, kind: string, least: number): Promise<readonly Decision[]> => {
  for (let attempt = 1; ; attempt++) {
    const events = await stage.trace(talk.sessionKey)
    const decisions = events.flatMap(({ type, body }) => (type === 'HookDecision' ? [DECISION.parse(body)] : []))
    const ofKind = decisions.filter(({ step }) => step.kind === kind)
    if (ofKind.length >= least || attempt === ATTEMPTS) return ofKind
    await sleep(200)
  }
}

describe('audit alone', () => {
  beforeAll(use(only('audit_mode')))

  for (const path of PATHS)
    test(`${path.name}: every message is scanned and recorded, and none is withheld`, async () => {
      const word = stage.freshWord()
      const talk = stage.talk(path)
      const flagged = await talk.turn(`Something of ${TOPIC}, ${word}.`, { say: 'Yes?' })
      expect(flagged.shown.last).toBe('Yes?')
      await talk.turn(`Something of pumpkins, ${word}.`, { say: 'Yes?' })
      const [bad, good] = await decisionsOn(talk, 'userMessage', 2)
      expect(JSON.stringify(bad)).toContain(word)
      expect(JSON.stringify(bad)).toContain('topic_violation')
      expect(JSON.stringify(good)).toContain('pumpkins')
      expect(JSON.stringify(good)).not.toContain('topic_violation')
    })
})

describe('llm-audit alone', () => {
  beforeAll(use(only('llm_audit_mode')))

  for (const path of PATHS)
    test(`${path.name}: the request to the model and its answer are recorded, with the cost`, async () => {
      const [asked, answered] = [stage.freshWord(), stage.freshWord()]
      const talk = stage.talk(path)
      const turn = await talk.turn(`Tell me of ${asked}.`, { say: `It is ${answered}, of ${TOPIC}.` })
      expect(turn.shown.last).toContain(answered)
      const [input] = await decisionsOn(talk, 'modelRequest', 1)
      expect(input?.step.payload['model']).toBe('scripted/m1')
      expect(JSON.stringify(input)).toContain(asked)
      const [output] = await decisionsOn(talk, 'modelResponse', 1)
      expect(output?.step.payload['model']).toBe('scripted/m1')
      expect(output?.step.payload['usage']).toMatchObject({ input: 10, output: 5 })
      expect(JSON.stringify(output)).toContain(answered)
      expect(JSON.stringify(output)).toContain('topic_violation')
    })
})

describe('tool-audit alone', () => {
  beforeAll(use(only('tool_audit_mode')))

  for (const path of PATHS)
    test(`${path.name}: every result is scanned after the call and recorded, secrets masked`, async () => {
      const [word, key] = [stage.freshWord(), stage.freshKey()]
      const talk = stage.talk(path)
      const call = { tool: 'exec', input: { command: `echo ${word} ${TOPIC} "$(printf %s ${key})"` } }
      const turn = await talk.turn('Run it.', { calls: [call] }, { say: 'Done.' })
      expect(turn.shown.last).toBe('Done.')
      const [result] = await decisionsOn(talk, 'toolCallResult', 1)
      expect(JSON.stringify(result)).toContain(word)
      expect(JSON.stringify(result)).toContain('topic_violation')
      expect(JSON.stringify(result)).not.toContain(tailOf(key))
    })
})
