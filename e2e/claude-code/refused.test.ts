/** What was refused after the fact: a final answer, or what a tool gave. The person has to learn of it, and not get it all the same. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startAicebergStandIn } from '../../src/testing/index.ts'
import { guardedBy } from './aiceberg-stage.ts'
import { LOOKS_LIVE, tailOf } from './fixtures.ts'
import { bash, say, type Turn } from './mock-anthropic.ts'
import { runPlainClient } from './run-client.ts'
import { makeStage, type Stage } from './stage.ts'
import { openTerminal } from './terminal.ts'
import { decisionsOf } from './trace-of-run.ts'

/** A stage on which Aiceberg, which is asked of answers at the end of a turn alone, blocks what speaks of the merger. */
const secretiveStage = async (): Promise<Stage> =>
  guardedBy(
    await startAicebergStandIn({
      detect: ({ output = '' }) =>
        /merger|fusion/.test(output)
          ? { event_result: 'blocked', reason: 'it is confidential' }
          : { event_result: 'passed' },
    }),
  )

const ANSWER = say('The merger is on Monday.')
const OTHER_WORDS = say('Monday it is, the fusion.')

const plain = (stage: Stage, turns: readonly Turn[]) => runPlainClient({ world: stage.world, turns })

test('a refused answer that is repeated is neither shown nor returned as the result', async () => {
  const stage = await secretiveStage()
  const run = await stage.run({ turns: [ANSWER, ANSWER, say('NOT REACHED')] })
  expect(run.result?.result).not.toContain('merger')
  const shown = run.events.filter(
    ({ type, message }) => type === 'assistant' && JSON.stringify(message).includes('merger'),
  )
  expect(shown).toHaveLength(1)
  expect(run.printed).toContain('it is confidential')
  const decisions = decisionsOf(await stage.trace(run.session))
    .filter(({ event }) => event === 'MessageDisplay' || event === 'Stop')
    .map(({ event, decision }) => `${event}: ${decision}`)
  expect(decisions).toEqual(['MessageDisplay: allow', 'Stop: deny', 'MessageDisplay: deny', 'Stop: deny'])
})

test.each([
  { name: 'in the same words', turns: [ANSWER, ANSWER] },
  { name: 'in other words', turns: [ANSWER, OTHER_WORDS] },
])(
  'with `-p`, an answer that is repeated $name is not printed, and standard error gives the reason',
  async ({ turns }) => {
    const stage = await secretiveStage()
    const run = await plain(stage, [...turns, say('NOT REACHED')])
    expect(run.out.trim()).toBe('')
    expect(run.err).toMatch(/Sallyport: Aiceberg answered "blocked" \(it is confidential\)/)
  },
)

test('control: a corrected answer is printed without any notice', async () => {
  const stage = await secretiveStage()
  expect(await plain(stage, [ANSWER, say('It is confidential.')])).toEqual({
    exitCode: 0,
    out: 'It is confidential.\n',
    err: '',
  })
})

test('with `-p`, a tool result is withheld, and standard error gives the reason', async () => {
  const stage = await secretiveStage()
  const run = await plain(stage, [bash('echo "the mer""ger is on Monday"'), say('NOT REACHED')])
  expect(run.out.trim()).toBe('')
  expect(run.err).toContain('it is confidential')
})

test('with `-p`, a large result is withheld, and standard error gives the reason', async () => {
  const stage = await secretiveStage()
  const run = await plain(stage, [bash('seq 1 4000; echo "the mer""ger is on Monday"'), say('NOT REACHED')])
  expect(run.out.trim()).toBe('')
  expect(run.err).toContain('it is confidential')
})

test('with `-p`, a blocked error of a failed tool ends the turn, and standard error gives the reason', async () => {
  const stage = await makeStage()
  await stage.world.write(join(stage.world.project, 'notes.txt'), `the token is ${LOOKS_LIVE.githubToken}\n`)
  const run = await plain(stage, [bash('cat notes.txt; exit 3'), say('NOT REACHED')])
  expect(run.out.trim()).toBe('')
  expect(run.err).toMatch(/Sallyport: /)
  expect(run.out + run.err).not.toContain(tailOf(LOOKS_LIVE.githubToken))
})

test('in a terminal, a repeated answer is reported as refused', async () => {
  const stage = await secretiveStage()
  const terminal = await openTerminal(stage, [ANSWER, ANSWER, say('NOT REACHED')])
  await terminal.shows(/refused a moment ago|Stop says: Sallyport: Aiceberg answered/)
  expect(terminal.everShown()).not.toContain('NOT REACHED')
})
