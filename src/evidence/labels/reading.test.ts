import { expect, test } from 'vitest'
import type { Effect } from '../../protocol/evidence.ts'
import type { StepOf } from '../../protocol/step.ts'
import { readingOf } from './reading.ts'
import { createTaintedStore } from './tainted-store.ts'

const result = (host: string, name: string): StepOf<'toolCallResult'> => ({
  id: 'step-1',
  host,
  event: 'any',
  at: 0,
  session: { id: 'session-1' },
  agent: { id: 'main', role: 'main' },
  kind: 'toolCallResult',
  payload: { tool: { name }, input: {}, status: 'succeeded', output: 'yes' },
})
const effect = (kind: Effect['kind'], by: string): Effect => ({
  kind,
  by,
  targets: [],
  certainty: 'certain',
  traits: [],
})

test.each([
  { host: 'claude-code', tool: 'AskUserQuestion', effects: [], speaker: 'person' },
  { host: 'claude-code', tool: 'Task', effects: [], speaker: 'agent' },
  { host: 'aos', tool: 'AskUserQuestion', effects: [effect('tool.call', 'AskUserQuestion')], speaker: 'untrusted' },
  { host: 'aos', tool: 'Task', effects: [effect('tool.call', 'Task')], speaker: 'untrusted' },
  { host: 'aos', tool: 'Skill', effects: [effect('tool.call', 'Skill')], speaker: 'untrusted' },
  { host: 'aos', tool: 'unknown', effects: [effect('tool.call', 'unknown')], speaker: 'untrusted' },
  {
    host: 'aos',
    tool: 'run_command',
    effects: [effect('tool.call', 'run_command'), effect('exec.run', 'ls')],
    speaker: 'workspace',
  },
])('what $tool gives back on $host is the word of $speaker', ({ host, tool, effects, speaker }) => {
  expect(readingOf(result(host, tool), effects, createTaintedStore({ digest: (text) => text })).speaker).toBe(speaker)
})
