import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { linesOf, noWith, text, toolUse } from '../../../test/claude-code/transcript-lines.ts'
import type { Clock } from '../../core/clock.ts'
import { createTranscripts } from '../../hosts/claude-code/transcript/transcripts.ts'
import type { Step } from '../../protocol/step.ts'
import { createTurnFollower } from './follow-turns.ts'
import { openSqliteCursors } from './sqlite-cursors.ts'

const SESSION = '7359ca9b-48ed-4ba4-9b2b-86f51222ff73'
const root = mkdtempSync(join(tmpdir(), 'sallyport-turns-'))
afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})
let made = 0

/** Time passes as soon as nothing else is pending. */
const HASTE: Clock = {
  now: () => 1_000,
  after: (_, run) => {
    const soon = setImmediate(run)
    return () => {
      clearImmediate(soon)
    }
  },
}

/** A guard that is killed: its further work has no effect. */
class Killed extends Error {}

/** A machine: a transcript, the guard's folder and the record, which all outlive guards. */
const machine = () => {
  const folder = join(root, String(made++))
  const path = join(folder, `${SESSION}.jsonl`)
  mkdirSync(dirname(path))
  const recorded: Step[] = []
  const refused: string[] = []
  const faults: unknown[] = []
  const step = (
    kind: 'turnEnd' | 'sessionEnd' | 'subagentStop' | 'sessionStart' | 'userMessage',
    payload: unknown,
    agent?: string,
  ): Step =>
    ({
      kind,
      payload,
      id: 's',
      host: 'claude-code',
      event: 'x',
      at: 1,
      session: { id: SESSION, transcript: path },
      agent: agent === undefined ? { id: 'main', role: 'main' } : { id: agent, role: 'subagent' },
    }) as unknown as Step
  return {
    path,
    subagentPath: (id: string) => join(folder, SESSION, 'subagents', `agent-${id}.jsonl`),
    recorded,
    refused,
    faults,
    calls: () => recorded.map(({ id }) => id),
    stop: (said: string) => step('turnEnd', { text: said }),
    subagentStop: (agent: string, said: string) => step('subagentStop', { text: said }, agent),
    sessionStart: (from: string) => step('sessionStart', { source: from }),
    prompt: () => step('userMessage', { text: 'go on' }),
    sessionEnd: () => step('sessionEnd', { reason: 'other' }),
    /** A guard. `dies` sets the delivery at which it is killed, and whether the record was stored by then. */
    guard(dies?: { readonly at: number; readonly kept: boolean }) {
      let deliveries = 0
      const follower = createTurnFollower({
        source: createTranscripts(),
        cursors: openSqliteCursors({ path: join(folder, 'turns.db'), before: 0 }),
        deliver: async (one) => {
          const kills = deliveries++ === dies?.at
          if (kills && !dies.kept) throw new Killed()
          recorded.push(one)
          if (kills) throw new Killed()
        },
        recorded: async () => new Set(recorded.map(({ id }) => id)),
        clock: HASTE,
        unreadable: (_, why) => refused.push(why),
        fault: (error) => {
          if (!(error instanceof Killed)) faults.push(error)
        },
      })
      return {
        ...follower,
        /** The host's event, and everything that follows from it. */
        async event(happened: Step) {
          follower.note(happened)
          follower.follow(happened)
          await follower.settled()
        },
      }
    },
  }
}

const { user, result, refused, answer, others } = linesOf(SESSION)

const exchange = (index: number): string =>
  [
    user(`u${index}`, `question ${index}`, `prompt-${index}`),
    others(),
    answer({ uuid: `a${index}`, message: `m${index}`, blocks: [toolUse('c', 'Bash', {})], stopReason: 'tool_use' }),
    result(`r${index}`, 'c', `result ${index}`, `prompt-${index}`),
    answer({ uuid: `b${index}`, message: `n${index}`, blocks: [text(`answer ${index}`)] }),
    others(),
  ].join('')

/** The ids from a guard that reads a complete transcript without interruption. */
const undisturbed = async (content: string): Promise<readonly string[]> => {
  const calm = machine()
  writeFileSync(calm.path, content)
  const guard = calm.guard()
  await guard.event(calm.sessionEnd())
  await guard.close()
  return calm.calls()
}

/** A question that the person at the terminal refused; the turn ends without an event. */
const refusal = (): string =>
  [
    user('u1', 'question'),
    answer({ uuid: 'a1', message: 'm1', blocks: [toolUse('c', 'Bash', {})], stopReason: 'tool_use' }),
    refused('r1', 'c', noWith('not there')),
  ].join('')

describe('what the person refused', () => {
  const notices = ({ recorded }: { readonly recorded: readonly Step[] }) =>
    recorded.flatMap((step) => (step.kind === 'notice' ? [step.payload] : []))
  const told = [{ topic: 'permission-refused', detail: { tool_use_id: 'c', words: 'not there' } }]

  test.each(['prompt', 'sessionEnd'] as const)('is told with the next event: %s', async (event) => {
    const on = machine()
    const guard = on.guard()
    writeFileSync(on.path, refusal())
    await guard.event(on[event]())
    expect(notices(on)).toEqual(told)
    await guard.close()
  })

  test('is told once, however often the transcript is read, and by whom', async () => {
    const on = machine()
    const first = on.guard()
    writeFileSync(on.path, refusal())
    await first.event(on.prompt())
    await first.event(on.prompt())
    await first.close()
    const second = on.guard()
    writeFileSync(on.path, refusal() + exchange(2))
    await second.event(on.stop('answer 2'))
    await second.close()
    expect(notices(on)).toEqual(told)
  })

  test('a guard that is killed before it is kept leaves it to the next', async () => {
    const on = machine()
    writeFileSync(on.path, refusal())
    await on.guard({ at: 0, kept: false }).event(on.prompt())
    expect(notices(on)).toEqual([])
    const next = on.guard()
    next.resume()
    await next.settled()
    await next.close()
    expect(notices(on)).toEqual(told)
  })
})

describe('following', () => {
  test('turns are told as requests and responses, as they come and once each', async () => {
    const on = machine()
    const guard = on.guard()
    writeFileSync(on.path, exchange(1))
    await guard.event(on.stop('answer 1'))
    expect(on.recorded.map(({ kind }) => kind)).toEqual([
      'modelRequest',
      'modelResponse',
      'modelRequest',
      'modelResponse',
    ])
    expect(on.recorded[3]).toMatchObject({
      host: 'claude-code',
      event: 'transcript',
      at: 1_000,
      session: { id: SESSION, turn: 'prompt-1' },
      agent: { id: 'main' },
      payload: {
        model: 'claude-opus-5-5',
        output: [{ role: 'assistant', content: [{ type: 'text', text: 'answer 1' }] }],
        usage: { input_tokens: 10, output_tokens: 5 },
        stopReason: 'end_turn',
      },
    })
    const [, , request, response] = on.recorded as unknown as { payload: { callId: string }; id: string }[]
    expect(request?.payload.callId).toBe(response?.payload.callId)
    writeFileSync(on.path, exchange(1) + exchange(2))
    await guard.event(on.stop('answer 2'))
    await guard.event(on.stop('answer 2'))
    await guard.event(on.sessionEnd())
    expect(on.calls()).toEqual(await undisturbed(exchange(1) + exchange(2)))
    expect(on.faults).toEqual([])
    await guard.close()
  })

  test('while it reads it says that something is yet to come, and of that session alone', async () => {
    const on = machine()
    const guard = on.guard()
    writeFileSync(on.path, exchange(1))
    const end = on.sessionEnd()
    expect(guard.isBehind(SESSION)).toBe(false)
    guard.note(end)
    guard.follow(end)
    expect([guard.isBehind(SESSION), guard.isBehind('other')]).toEqual([true, false])
    await guard.settled()
    expect(guard.isBehind(SESSION)).toBe(false)
    await guard.close()
  })

  test('what the file lags behind is taken at the next event', async () => {
    const on = machine()
    const guard = on.guard()
    const whole = exchange(1)
    writeFileSync(on.path, whole.slice(0, whole.indexOf('answer 1') - 300))
    await guard.event(on.stop('answer 1'))
    expect(on.recorded).toHaveLength(0)
    writeFileSync(on.path, whole)
    await guard.event(on.sessionEnd())
    expect(on.calls()).toEqual(await undisturbed(whole))
    await guard.close()
  })

  test('a session that goes on after its end is not told of again, whatever was forgotten', async () => {
    const on = machine()
    const before = on.guard()
    await before.event(on.sessionStart('startup'))
    writeFileSync(on.path, exchange(1))
    await before.event(on.stop('answer 1'))
    await before.event(on.sessionEnd())
    await before.event(on.sessionStart('resume'))
    writeFileSync(on.path, exchange(1) + exchange(2))
    await before.event(on.stop('answer 2'))
    expect(on.calls()).toEqual(await undisturbed(exchange(1) + exchange(2)))
    await before.close()
  })

  test('subagents: at their end, and at that of the session those which were never seen to end', async () => {
    const on = machine()
    const guard = on.guard()
    writeFileSync(on.path, exchange(1))
    for (const id of ['s1', 's2']) {
      mkdirSync(dirname(on.subagentPath(id)), { recursive: true })
      writeFileSync(on.subagentPath(id), exchange(id === 's1' ? 7 : 8))
    }
    await guard.event(on.subagentStop('s1', 'answer 7'))
    expect(on.recorded.map(({ agent }) => agent.id)).toEqual(['s1', 's1', 's1', 's1'])
    await guard.event(on.sessionEnd())
    const agents = on.recorded.map(({ agent }) => agent.id)
    expect(agents.filter((id) => id === 's1')).toHaveLength(4)
    expect(agents.filter((id) => id === 's2')).toHaveLength(4)
    expect(agents.filter((id) => id === 'main')).toHaveLength(4)
    await guard.close()
  })

  test('what a killed guard has left is read by the next one, without an event', async () => {
    const on = machine()
    const killed = on.guard()
    writeFileSync(on.path, exchange(1))
    killed.note(on.stop('answer 1'))
    const next = on.guard()
    next.resume()
    await next.settled()
    expect(on.calls()).toEqual(await undisturbed(exchange(1)))
    await next.close()
  })

  test('a turn whose record may have been kept is not recorded again by the same guard', async () => {
    const on = machine()
    const guard = on.guard({ at: 1, kept: true })
    await guard.event(on.sessionStart('startup'))
    writeFileSync(on.path, exchange(1))
    await guard.event(on.stop('answer 1'))
    expect(on.recorded).toHaveLength(2)
    await guard.event(on.sessionEnd())
    expect(on.calls()).toEqual(await undisturbed(exchange(1)))
    await guard.close()
  })

  test('a file that the host would not write is not read, and somebody is told', async () => {
    const on = machine()
    const guard = on.guard()
    mkdirSync(on.path)
    await guard.event(on.stop('answer 1'))
    expect(on.refused).toEqual(['it is not a regular file'])
    await guard.close()
  })

  test('a guard that closes lets go of what waits', async () => {
    const on = machine()
    const guard = on.guard()
    writeFileSync(on.path, exchange(1))
    guard.note(on.stop('never comes'))
    guard.follow(on.stop('never comes'))
    await guard.close()
    expect(on.faults).toEqual([])
  })
})

describe('exactly once', () => {
  const happening = fc.record({
    /** The share of the transcript that is written by then. */
    upTo: fc.double({ min: 0, max: 1, noNaN: true }),
    /** The delivery at which the guard of this event is killed. */
    dies: fc.option(fc.record({ at: fc.nat({ max: 6 }), kept: fc.boolean() }), { nil: undefined }),
    restarts: fc.boolean(),
  })

  test('whatever is written when, and whenever the guard is killed', async () => {
    const whole = Buffer.from([1, 2, 3].map(exchange).join(''))
    const expected = await undisturbed(whole.toString())
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 4 }), async (events) => {
        const on = machine()
        let guard = on.guard()
        for (const { upTo, dies, restarts } of events.toSorted((a, b) => a.upTo - b.upTo)) {
          if (restarts || dies !== undefined) {
            await guard.close()
            guard = on.guard(dies)
          }
          writeFileSync(on.path, whole.subarray(0, Math.round(upTo * whole.length)))
          await guard.event(on.stop(`answer ${Math.ceil(upTo * 3)}`))
        }
        await guard.close()
        writeFileSync(on.path, whole)
        const last = on.guard()
        last.resume()
        await last.event(on.sessionEnd())
        await last.close()
        expect(on.calls()).toEqual(expected)
        expect(on.faults).toEqual([])
      }),
      { numRuns: 15 },
    )
  })
})
