/** Lives of events and sessions at Aiceberg, whatever becomes of clients and guards. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startAicebergStandIn, type AicebergDetect, type AicebergEvent } from '../../src/testing/index.ts'
import { guardedBy, nextGuard, shown, toldWhole } from './aiceberg-stage.ts'
import { LOOKS_LIVE, tailOf } from './fixtures.ts'
import { bash, say } from './mock-anthropic.ts'
import { clientEntry } from './run-client.ts'

/** Random runs of the client in which the guard is killed. */
const KILLS = Number(process.env['SALLYPORT_E2E_AICEBERG_KILLS'] ?? 4)

const sessionsOf = (events: readonly AicebergEvent[]): readonly string[] => [
  ...new Set(events.map(({ session = '' }) => session)),
]

/** Kills the clients that this process has started. */
const killClients = async (): Promise<void> => {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(join('/proc', pid, 'status'), 'utf8'))?.[1]
      const command = readFileSync(join('/proc', pid, 'cmdline'), 'utf8').split('\0')
      if (parent === String(process.pid) && command.includes(clientEntry())) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
}

test('a masked result: one create event and one update event for its call', async () => {
  const standIn = await startAicebergStandIn()
  const stage = await guardedBy(standIn, 'enforce', 'redact: []')
  const note = await stage.world.write(
    join(stage.world.project, 'notes.txt'),
    `the token is ${LOOKS_LIVE.githubToken} here\n`,
  )
  const run = await stage.run({ turns: [bash(`cat ${note}`), say('DONE')] })
  const seen = JSON.stringify(run.requests.at(-1)?.messages)
  expect([seen.includes('the token is [masked'), seen.includes(tailOf(LOOKS_LIVE.githubToken))]).toEqual([true, false])
  expect(shown(await toldWhole(standIn), 'agt_tool')).toHaveLength(1)
  expect(standIn.told.filter(({ request }) => request.event_type === 'agt_tool')).toHaveLength(2)
})

test('an answer that is sent back and the next one: each is reported once', async () => {
  const detect: AicebergDetect = ({ output = '', event_type: type }) => ({
    event_result: type === 'user_agt' && output.includes('draft') ? 'blocked' : 'passed',
  })
  const standIn = await startAicebergStandIn({ detect })
  const stage = await guardedBy(standIn)
  await stage.run({ turns: [say('A draft.'), say('The answer.')] })
  const events = await toldWhole(standIn)
  expect(shown(events, 'user_agt')).toEqual([
    [expect.any(String), 'A draft.'],
    ['(the previous answer was sent back)', 'The answer.'],
  ])
})

test('compact, resume and fork: each session starts and ends once, and no model turn is reported twice', async () => {
  const standIn = await startAicebergStandIn()
  const stage = await guardedBy(standIn)
  const { session } = await stage.run({ turns: [bash('echo one'), say('First.')] })
  expect(sessionsOf(await toldWhole(standIn))).toEqual([session])
  await stage.run({ args: ['--resume', session], prompt: '/compact', turns: [say('A summary.')] })
  await stage.run({ args: ['--resume', session], prompt: 'Go on.', turns: [say('Second.'), say('Second.')] })
  const fork = await stage.run({
    args: ['--resume', session, '--fork-session'],
    turns: [say('Third.'), say('Third.'), say('Third.')],
  })
  expect(fork.session).not.toBe(session)
  const events = await toldWhole(standIn)
  const sessions = sessionsOf(events)
  expect(sessions).toContain(fork.session)
  expect(sessions.filter((one) => one.startsWith(session)).length).toBe(sessions.length - 1)
  const outputs = shown(events, 'agt_llm').map(([, output]) => output)
  expect(outputs.filter((output) => output?.includes('echo one'))).toHaveLength(1)
  expect(outputs.filter((output) => output === '[assistant] First.')).toHaveLength(1)
})

test('doctor with its canary, and the check of guardians: every opened event is closed', async () => {
  const standIn = await startAicebergStandIn()
  const stage = await guardedBy(standIn)
  await stage.cli('doctor', 'claude-code', '--client', clientEntry())
  expect(sessionsOf(await toldWhole(standIn))).toHaveLength(1)
  const ran = await stage.cli('guardians', 'check', 'aiceberg')
  expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('ok ')])
  expect(sessionsOf(await toldWhole(standIn))).toHaveLength(2)
})

describe('after a kill', () => {
  test('of the client: its prompt is closed at the next start of the guard', async () => {
    const standIn = await startAicebergStandIn()
    const stage = await guardedBy(standIn)
    await stage.run({ turns: [bash('echo one'), bash('echo two', killClients), say('NOT REACHED')] })
    expect(standIn.events.some(({ sessionEnd }) => sessionEnd)).toBe(false)
    await stage.guard.kill()
    await nextGuard(stage)
    expect(shown(await toldWhole(standIn), 'user_agt')).toEqual([[expect.any(String), '(the session ended)']])
  })

  test('of client and guard at the same time', async () => {
    const standIn = await startAicebergStandIn()
    const stage = await guardedBy(standIn)
    const both = () => Promise.all([killClients(), stage.guard.kill()]).then(() => undefined)
    await stage.run({ turns: [bash('echo one', both), say('NOT REACHED')] })
    await nextGuard(stage)
    await toldWhole(standIn)
  })

  test('of the guard, just after the end of the session', async () => {
    const standIn = await startAicebergStandIn()
    const stage = await guardedBy(standIn)
    const run = await stage.run({ turns: [bash('echo one'), say('DONE')] })
    await stage.guard.kill()
    expect(standIn.events.some(({ sessionEnd }) => sessionEnd)).toBe(false)
    await nextGuard(stage)
    const events = await toldWhole(standIn)
    expect(sessionsOf(events)).toEqual([run.session])
    expect(shown(events, 'agt_llm')).toHaveLength(2)
  })

  test(
    `of the guard at ${KILLS} random points, and of some clients`,
    async () => {
      const seed = Number(process.env['SALLYPORT_E2E_SEED'] ?? 1)
      let state = seed
      const below = (limit: number): number => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        return Math.floor((state / 2_147_483_648) * limit)
      }
      let fuse = 0
      let kill = (): void => undefined
      const standIn = await startAicebergStandIn({
        detect: () => {
          if (--fuse === 0) kill()
          return { event_result: 'passed' }
        },
      })
      const stage = await guardedBy(standIn)
      let { guard } = stage
      let session: string | undefined
      for (let kills = 0; kills < KILLS; kills++) {
        let isKilled = false
        kill = () => {
          isKilled = true
          process.kill(guard.pid, 'SIGKILL')
        }
        fuse = 1 + below(9)
        const turns = Array.from({ length: 12 }, (_, index) =>
          index % 4 === 3 ? say(`Answer ${index}.`) : bash(`echo ${index}`),
        )
        const run = await stage.run({
          turns: [...turns, say('DONE')],
          ...(session !== undefined && below(3) === 0 ? { args: ['--resume', session] } : {}),
        })
        session = run.session
        if (!isKilled) await guard.kill()
        fuse = 0
        guard = await nextGuard(stage)
      }
      await toldWhole(standIn)
    },
    60_000 + KILLS * 30_000,
  )
})
