import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startCorruptingProxy } from '../corrupting-proxy.ts'
import { runningGuardPid } from '../left-guard.ts'
import { startStranger } from '../stranger.ts'
import { bash, say, type Turn } from './mock-anthropic.ts'
import type { ClientRun } from './run-client.ts'
import { install, makeStage, type Stage } from './stage.ts'
import { decisionsOf, expectTraceOf } from './trace-of-run.ts'

const first = (stage: Stage): string => join(stage.world.project, 'first')
const second = (stage: Stage): string => join(stage.world.project, 'second')

/** Two harmless calls; something befalls the guard between them. */
const twoCalls = (stage: Stage, between: () => Promise<void>): readonly Turn[] => [
  bash(`touch ${first(stage)}`),
  bash(`touch ${second(stage)}`, between),
  say('DONE'),
]

/** Has the client wait two seconds for the guard, so that the test need not wait as long as a person would. */
const shortenDeadlines = ({ world, guard }: Stage): Promise<void> =>
  install(world, guard.port, 'user', ['--timeout', '2'])

/** What the guard hears until the first call has run. */
const HEARD = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch']

/** The first call ran, the second did not, and the client was told that the guard was the reason. */
const expectOnlyFirst = (stage: Stage, run: ClientRun): void => {
  expect(existsSync(first(stage))).toBe(true)
  expect(existsSync(second(stage))).toBe(false)
  expect(run.printed).toMatch(/onFailure/)
}

test('control: with a running guard both calls run', async () => {
  const stage = await makeStage()
  const run = await stage.run({ turns: twoCalls(stage, async () => {}) })
  expect([existsSync(first(stage)), existsSync(second(stage))]).toEqual([true, true])
  await expectTraceOf(stage, run)
})

test('the guard is killed in mid-session: the next call is blocked, and earlier decisions are in the trace', async () => {
  const stage = await makeStage()
  const run = await stage.run({ turns: twoCalls(stage, () => stage.guard.kill()) })
  expectOnlyFirst(stage, run)
  const decisions = decisionsOf(await stage.trace(run.session))
  expect(decisions.map(({ event }) => event)).toEqual(HEARD)
})

test('the guard is slower than its deadline: the call is blocked', async () => {
  const stage = await makeStage()
  await shortenDeadlines(stage)
  const run = await stage.run({
    turns: twoCalls(stage, async () => {
      stage.guard.pause()
    }),
  })
  stage.guard.resume()
  expectOnlyFirst(stage, run)
  const decisions = decisionsOf(await stage.trace(run.session))
  expect(decisions.map(({ event }) => event).slice(0, HEARD.length)).toEqual(HEARD)
})

test('the answers of the guard are corrupted: the call is blocked', async () => {
  const stage = await makeStage()
  const proxy = await startCorruptingProxy(stage.guard.port)
  onTestFinished(() => proxy.close())
  await install(stage.world, proxy.port)
  const run = await stage.run({
    turns: twoCalls(stage, async () => {
      proxy.spoil()
    }),
  })
  expectOnlyFirst(stage, run)
  const decisions = decisionsOf(await stage.trace(run.session))
  expect(decisions.map(({ event }) => event).slice(0, HEARD.length)).toEqual(HEARD)
})

test('a session starts the guard if it is not running', async () => {
  const stage = await makeStage()
  await stage.guard.stop()
  const run = await stage.run({ turns: twoCalls(stage, async () => {}) })
  expect([existsSync(first(stage)), existsSync(second(stage))]).toEqual([true, true])
  expect(await runningGuardPid(stage.world.data)).not.toBe(stage.guard.pid)
  await expectTraceOf(stage, run)
})

test('a foreign program answers on the port of the guard: the prompt does not reach the model', async () => {
  const stage = await makeStage()
  await stage.guard.stop()
  const stranger = await startStranger(stage.guard.port)
  onTestFinished(() => stranger.close())
  const run = await stage.run({ turns: twoCalls(stage, async () => {}) })
  expect(run.requests).toEqual([])
  expect(existsSync(first(stage))).toBe(false)
})
