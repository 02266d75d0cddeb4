/** A call that a person is asked about: whom the question reaches, what the model is told, and that a late answer counts. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { personIn } from '../person.ts'
import { entryPaths, overChannelAs } from './entry-paths.ts'
import { ASKED_OWNER } from './gateway-config.ts'
import { openStage, type Sent } from './stage.ts'
import { answerQuestion } from './host-question.ts'
import { caseMark, writeScript } from './scripted-model.ts'
import { modelSaw, type TurnResult } from './talk.ts'

const stage = await openStage()
beforeAll(() => stage.guardWith({}))

const { channel, webchat } = entryPaths
/** A call that a person is asked about, and the file by which it is known to have run. */
const askedCall = () => {
  const made = join(stage.gateway.workspace, stage.freshWord())
  return { made, calls: [{ tool: 'exec', input: { command: `cksum /dev/null > ${made}` } }] }
}

/** The first thing that a person was sent by the guard. */
const sentTo = async (to: string): Promise<Sent> => {
  for (const giveUpAt = Date.now() + 30_000; Date.now() < giveUpAt; await sleep(100)) {
    const found = (await stage.sent()).find((one) => one.to === to && one.text.includes('Sallyport'))
    if (found !== undefined) return found
  }
  throw new Error(`Nothing was sent to ${to}.`)
}

const toolResults = ({ requests }: TurnResult): string =>
  JSON.stringify(requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool'))

describe('on a channel', () => {
  test('the person learns at once that an approval is pending, and only owners are asked to approve', async () => {
    const { made, calls } = askedCall()
    const talk = stage.talk(channel)
    const turn = talk.turn('Sum it up.', { calls }, { say: 'It has to wait.' })
    const { text } = await sentTo(talk.id)
    expect(text).toMatch(/Sallyport: exec needs an answer\./)
    expect(text).toMatch(/Approval [a-z0-9-]+/)
    expect(text).toContain('The operator of this agent has to approve it')
    expect(text).not.toContain('/approve')
    await answerQuestion(stage.rpc, talk.sessionKey, 'deny')
    await turn
    expect(existsSync(made)).toBe(false)
  }, 120_000)

  test('the owner learns how to answer there, and the answer is applied', async () => {
    const { made, calls } = askedCall()
    const talk = stage.talk(overChannelAs(ASKED_OWNER))
    const turn = talk.turn('Sum it up.', { calls }, { say: 'Done.' })
    const { text } = await sentTo(ASKED_OWNER)
    const command = /`(\/approve \S+ allow-once)`/.exec(text)?.[1]
    expect(command).toBeDefined()
    expect(existsSync(made)).toBe(false)
    await channel.send(stage.gateway, stage.rpc, ASKED_OWNER, command ?? '')
    expect((await turn).shown.last).toBe('Done.')
    expect(existsSync(made)).toBe(true)
  }, 120_000)
})

const JOB = z.looseObject({ id: z.string() })

test('in a job, where the host asks nobody, the model receives the id at once', async () => {
  const { made, calls } = askedCall()
  const script = `j${stage.freshWord()}`
  await writeScript(stage.gateway.model, script, [{ calls }, { say: 'It has to wait.' }])
  const { id } = JOB.parse(
    await stage.rpc.call('cron.add', {
      name: stage.freshWord(),
      schedule: { kind: 'at', at: new Date(Date.now() + 3_600_000).toISOString() },
      sessionTarget: 'isolated',
      payload: { kind: 'agentTurn', message: `Sum it up. (${caseMark(script)})` },
      wakeMode: 'now',
    }),
  )
  const done = stage.rpc.waitFor(
    ({ event, payload }) =>
      event === 'cron' && JSON.stringify(payload).includes(id) && JSON.stringify(payload).includes('finished'),
    60_000,
  )
  await stage.rpc.call('cron.run', { id, mode: 'force' })
  await done
  expect(existsSync(made)).toBe(false)
  expect(await modelSaw(stage.gateway, 'A person has to approve this first (approval')).toBe(true)
}, 120_000)

test('nobody answers: the model receives the id, and a later signature of a person allows the same call once', async () => {
  const { made, calls } = askedCall()
  const person = personIn({ env: stage.gateway.env, cwd: stage.gateway.workspace }, stage.gateway.data)
  await person.enrols()
  const talk = stage.talk(webchat)
  const told = toolResults(await talk.turn('Sum it up.', { calls }, { say: 'It has to wait.' }))
  const id = /Approval ([a-z0-9-]+)/.exec(told)?.[1]
  expect(told).toContain('send this number to the operator of this assistant')
  expect(told).toContain('Nobody answered in time')
  expect(existsSync(made)).toBe(false)
  expect((await person.runs('approvals', 'approve', id ?? '')).code).toBe(0)
  const again = await talk.turn('Sum it up now.', { calls }, { say: 'Done.' })
  expect(again.shown.last).toBe('Done.')
  expect(existsSync(made)).toBe(true)
}, 300_000)
