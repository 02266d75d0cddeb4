import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOOKS_LIVE, tailOf } from './fixtures.ts'
import { bash, call, say, type Turn } from './mock-anthropic.ts'
import { runClient, type ClientRun } from './run-client.ts'
import { bareWorld, makeStage } from './stage.ts'
import { TINY_MCP_ARGS } from './tiny-mcp-config.ts'
import { expectTraceOf } from './trace-of-run.ts'
import type { World } from './world.ts'

const SECRET = LOOKS_LIVE.githubToken
const TOOLS = 'Bash,Read,mcp__tiny'

/** Puts a note with a secret in it into the project; its name gives nothing away. */
const noteWithSecret = (world: World): Promise<string> =>
  world.write(join(world.project, 'notes.txt'), `before\nthe token is ${SECRET} here\nafter\n`)

interface Way {
  readonly name: string
  readonly turn: (note: string) => Turn
  readonly args: readonly string[]
  /** Words around the secret that must still reach the model: what is masked is the secret, not the answer. */
  readonly kept: string
}

const WAYS: readonly Way[] = [
  { name: 'the output of a command', turn: (note) => bash(`cat ${note}`), args: [], kept: 'the token is' },
  { name: 'a file read', turn: (note) => call('Read', { file_path: note }), args: [], kept: 'the token is' },
  {
    name: 'an MCP result',
    turn: () => call('mcp__tiny__secret', { text: 'x' }),
    args: TINY_MCP_ARGS,
    kept: 'and that is all',
  },
]

/** Every place a secret could have come to rest in. */
const seen = (run: ClientRun): Readonly<Record<string, boolean>> => ({
  model: JSON.stringify(run.requests).includes(tailOf(SECRET)),
  stream: run.printed.includes(tailOf(SECRET)),
  transcript: run.transcript.includes(tailOf(SECRET)),
})

for (const { name, turn, args, kept } of WAYS) {
  test(`a secret in ${name} is masked for model, stream and transcript`, async () => {
    const stage = await makeStage()
    const note = await noteWithSecret(stage.world)
    const run = await stage.run({ turns: [turn(note), say('DONE')], args, allowedTools: TOOLS })
    expect(seen(run)).toEqual({ model: false, stream: false, transcript: false })
    expect(JSON.stringify(run.requests.at(-1)?.messages)).toContain(kept)
    expect(run.result?.result).toBe('DONE')
    const decisions = await expectTraceOf(stage, run)
    expect(decisions.filter(({ decision }) => decision === 'modify').map(({ event }) => event)).toEqual(['PostToolUse'])
    const shown = await stage.cli('trace', 'show', run.session, '--json')
    expect(shown.out).not.toContain(tailOf(SECRET))
  })

  test(`control: without the guard a secret in ${name} is visible everywhere`, async () => {
    const world = await bareWorld()
    const note = await noteWithSecret(world)
    const run = await runClient({ world, turns: [turn(note), say('DONE')], args, allowedTools: TOOLS })
    expect(seen(run)).toEqual({ model: true, stream: true, transcript: true })
  })
}

test('a secret in the error of a failed tool ends the turn before the model receives it', async () => {
  const stage = await makeStage()
  const note = await noteWithSecret(stage.world)
  const run = await stage.run({ turns: [bash(`cat ${note}; exit 3`), say('SEEN')] })
  expect(run.requests.length).toBe(1)
  expect(seen(run)['model']).toBe(false)
  const decisions = await expectTraceOf(stage, run)
  expect(decisions.find(({ event }) => event === 'PostToolBatch')?.decision).toBe('deny')
})

test('control: without the guard the model receives the error of a failed tool', async () => {
  const world = await bareWorld()
  const note = await noteWithSecret(world)
  const run = await runClient({ world, turns: [bash(`cat ${note}; exit 3`), say('SEEN')] })
  expect(run.result?.result).toBe('SEEN')
  expect(seen(run)['model']).toBe(true)
})

test('a prompt with a live key does not reach the model', async () => {
  const stage = await makeStage()
  const run = await stage.run({ prompt: `Use ${LOOKS_LIVE.awsKeyId} and ${SECRET}.`, turns: [say('SEEN')] })
  expect(run.requests).toEqual([])
  expect(run.result?.result).not.toContain('SEEN')
  const decisions = await expectTraceOf(stage, run)
  expect(decisions.find(({ event }) => event === 'UserPromptSubmit')?.decision).toBe('deny')
})

test('control: without the guard the prompt is sent', async () => {
  const world = await bareWorld()
  const run = await runClient({ world, prompt: `Use ${SECRET}.`, turns: [say('SEEN')] })
  expect(run.result?.result).toBe('SEEN')
})

test('a secret in the final answer is not shown, and the agent has to answer again without it', async () => {
  const stage = await makeStage()
  const run = await stage.run({ turns: [say(`The token is ${SECRET} as asked.`), say('DONE')] })
  expect(run.printed).not.toContain(tailOf(SECRET))
  expect(run.result?.result).toBe('DONE')
  const decisions = await expectTraceOf(stage, run)
  const answers = decisions.filter(({ event }) => event === 'MessageDisplay' || event === 'Stop')
  expect(answers.map(({ event, decision }) => `${event}: ${decision}`)).toEqual([
    'MessageDisplay: modify',
    'Stop: deny',
    'MessageDisplay: allow',
    'Stop: allow',
  ])
})
