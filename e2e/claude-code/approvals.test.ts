import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { TraceEvent } from '../trace.ts'
import { bash, say } from './mock-anthropic.ts'
import type { ClientRun } from './run-client.ts'
import { makeStage } from './stage.ts'
import { DOWN, ESCAPE, openTerminal, TAB } from './terminal.ts'
import type { Stage } from './stage.ts'
import { PERMIT_ARGS, TINY_MCP_ARGS } from './tiny-mcp-config.ts'
import { expectTraceOf } from './trace-of-run.ts'

/** A rule of the pack that asks the person, instead of denying. */
const ASKS = 'rules:\n  delete-outside: ask\n'

const paperOf = (stage: Stage, folder = 'papers'): Promise<string> =>
  stage.world.write(join(stage.world.home, folder, 'thesis.md'), 'ten years of work\n')

const destroy = (stage: Stage, folder = 'papers'): string => `rm -rf ${join(stage.world.home, folder)}`

/** Ids of approvals as the model has read them, in the order it was told. */
const idsTold = (run: ClientRun): readonly string[] => [
  ...new Set(
    [...JSON.stringify(run.requests.at(-1)?.messages).matchAll(/Approval (\w{4}-\w{4})/g)].map((m) => m[1] ?? ''),
  ),
]

const APPROVAL = z.object({
  state: z.string(),
  requestedAt: z.number(),
  answer: z.object({ via: z.string(), reason: z.string() }).optional(),
})

/** Every approval in the order they were asked for, once none waits: what became of a call is read after the session's end. */
const settled = (stage: Stage): Promise<readonly z.infer<typeof APPROVAL>[]> =>
  vi.waitFor(
    async () => {
      const { out } = await stage.cli('approvals', 'ls', '--all', '--json')
      const all = out.split('\n').flatMap((line) => (line === '' ? [] : [APPROVAL.parse(JSON.parse(line))]))
      expect(all.map(({ state }) => state)).not.toContain('pending')
      return all.toSorted((a, b) => a.requestedAt - b.requestedAt)
    },
    { timeout: 10_000, interval: 200 },
  )

const approvalEvents = (events: readonly TraceEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type.startsWith('Approval'))

test('without a person to ask, the model receives the id; after a person has approved it, the call runs once', async () => {
  const stage = await makeStage({ config: ASKS })
  expect(await stage.person.enrols()).toMatchObject({ code: 0 })
  const paper = await paperOf(stage)
  let answered = ''
  const approve = async (): Promise<void> => {
    expect(existsSync(paper)).toBe(true)
    const { code, out } = await stage.person.runs('approvals', 'approve', 'last', '--by', 'ada')
    expect(code).toBe(0)
    answered = out
  }
  const writeAgain = async (): Promise<void> => {
    expect(existsSync(paper)).toBe(false)
    await paperOf(stage)
  }
  const command = destroy(stage)
  const turns = [bash(command), bash(command, approve), bash(command, writeAgain), say('DONE')]
  const run = await stage.run({ turns })
  expect(existsSync(paper)).toBe(true)
  const told = idsTold(run)
  expect(told).toHaveLength(2)
  expect(answered).toContain(told[0])
  const decisions = await expectTraceOf(stage, run)
  const calls = decisions.filter(({ event }) => event === 'PreToolUse').map(({ decision }) => decision)
  expect(calls).toEqual(['ask', 'allow', 'ask'])
  expect(approvalEvents(await stage.trace(run.session))).toEqual([
    'ApprovalRequested',
    'ApprovalUnanswered',
    'ApprovalGranted',
    'ApprovalUsed',
    'ApprovalRequested',
    'ApprovalUnanswered',
  ])
})

test('the answer of the person at the client is recorded: approved', async () => {
  const stage = await makeStage({ config: ASKS })
  const paper = await paperOf(stage)
  const run = await stage.run({
    turns: [bash(destroy(stage)), say('DONE')],
    args: [...TINY_MCP_ARGS, ...PERMIT_ARGS],
  })
  expect(existsSync(paper)).toBe(false)
  const events = await stage.trace(run.session)
  expect(approvalEvents(events)).toEqual(['ApprovalRequested', 'ApprovalGranted', 'ApprovalUsed'])
  expect(events.find(({ type }) => type === 'ApprovalGranted')?.body).toMatchObject({ via: 'host' })
})

test('the answer of the person at the client is recorded: refused', async () => {
  const stage = await makeStage({ config: ASKS })
  const paper = await paperOf(stage, 'REFUSE')
  const run = await stage.run({
    turns: [bash(destroy(stage, 'REFUSE')), say('DONE')],
    args: [...TINY_MCP_ARGS, ...PERMIT_ARGS],
  })
  expect(existsSync(paper)).toBe(true)
  await settled(stage)
  const events = await stage.trace(run.session)
  expect(approvalEvents(events)).toEqual(['ApprovalRequested', 'ApprovalUnanswered', 'ApprovalDenied'])
  expect(events.find(({ type }) => type === 'ApprovalDenied')?.body).toMatchObject({
    via: 'host',
    reason: 'the person said no',
  })
})

test('the call runs with the edited arguments', async () => {
  const stage = await makeStage({ config: ASKS })
  expect(await stage.person.enrols()).toMatchObject({ code: 0 })
  const [kept, gone] = [await paperOf(stage), await paperOf(stage, 'drafts')]
  const edit = async (): Promise<void> => {
    const input = JSON.stringify({ command: destroy(stage, 'drafts'), description: 'x' })
    // Deleting there asks as well, and the answer covers it.
    expect((await stage.person.runs('approvals', 'edit', 'last', '--input', input)).code).toBe(0)
  }
  await stage.run({ turns: [bash(destroy(stage)), bash(destroy(stage), edit), say('DONE')] })
  expect(existsSync(kept)).toBe(true)
  expect(existsSync(gone)).toBe(false)
})

test('an agent can neither answer its own approval nor read what it would need for that', async () => {
  const stage = await makeStage({ config: ASKS })
  const paper = await paperOf(stage)
  const { world, guard } = stage
  const attempts = [
    'npx sallyport approvals approve last',
    `cat ${world.data}/approver-token`,
    `curl -s -X POST -d '{"answer":"approve","by":"me"}' ${guard.url}/v1/approvals/last`,
    `sqlite3 ${world.data}/approvals.db "UPDATE approvals SET state = 'granted'"`,
    'npx sallyport policy disable delete-outside --for 1h --reason x',
  ]
  const run = await stage.run({
    turns: [bash(destroy(stage)), ...attempts.map((command) => bash(command)), bash(destroy(stage)), say('DONE')],
  })
  expect(existsSync(paper)).toBe(true)
  const decisions = await expectTraceOf(stage, run)
  expect(decisions.filter(({ event }) => event === 'PreToolUse').map(({ decision }) => decision)).toEqual([
    'ask',
    ...attempts.map(() => 'deny'),
    'ask',
  ])
})

const SHOWN_QUESTION = /Do.?you.?want.?to.?proceed/
const SHOWN_END = /Interrupted/

test('in a terminal the client shows the reason, and each answer is recorded: yes, no, escape, no with a comment', async () => {
  const stage = await makeStage({ config: ASKS })
  const [yes, no, escape, words] = await Promise.all(
    ['yes', 'no', 'escape', 'words'].map((folder) => paperOf(stage, folder)),
  )
  const turns = ['yes', 'no', 'escape', 'words'].map((folder) => bash(destroy(stage, folder)))
  const terminal = await openTerminal(stage, [...turns, say('DONE')])
  await terminal.shows(/This deletes a folder outside the workspace/)
  await terminal.shows(SHOWN_QUESTION)
  await terminal.press('1')
  await terminal.shows(SHOWN_QUESTION)
  await terminal.press('2')
  await terminal.shows(SHOWN_END)
  await terminal.says('go on')
  await terminal.shows(SHOWN_QUESTION)
  await terminal.press(ESCAPE)
  await terminal.shows(SHOWN_END)
  await terminal.says('go on')
  await terminal.shows(SHOWN_QUESTION)
  for (const key of [DOWN, TAB]) await terminal.press(key)
  await terminal.says('tidy up instead')
  await terminal.shows(/DONE/)
  await terminal.leaves()
  expect([yes, no, escape, words].map((paper) => existsSync(paper ?? ''))).toEqual([false, true, true, true])
  const approvals = await settled(stage)
  expect(approvals.map(({ state, answer }) => ({ state, ...answer }))).toMatchObject([
    { state: 'used', via: 'host' },
    { state: 'denied', via: 'host', reason: '' },
    { state: 'denied', via: 'host', reason: '' },
    { state: 'denied', via: 'host', reason: 'tidy up instead' },
  ])
})
