import { posix } from 'node:path'
import { isArray, isObject } from '../../protocol/json.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import type { StepOf } from '../../protocol/step.ts'
import type { Source } from './facts.ts'
import type { Speaker } from './names.ts'
import { shownProcess } from './started-process.ts'
import type { TaintedStore } from './tainted-store.ts'

/** Whose words the result of a host's own tool is. */
export interface ResultRow {
  readonly tools: readonly string[]
  /** Values of the argument `action` that the row is about; without them it is about all that are left. */
  readonly actions?: readonly string[]
  /** `agent`: it names nothing, neither for the workspace nor as a stranger. */
  readonly speaker: Speaker | 'agent'
  /** The speaker's part of the result; default: all of it. */
  readonly spoken?: (output: Json) => Json
  /** Where what this result shows came from, if not from the speaker. */
  readonly source?: (step: StepOf<'toolCallResult'>, tainted: TaintedStore) => Source | undefined
}

const listed = (names: string): readonly string[] => names.split(' ')

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const member = (value: Json | undefined, name: string): Json | undefined => (isObject(value) ? value[name] : undefined)

const CLAUDE_CODE: readonly ResultRow[] = [
  {
    tools: ['AskUserQuestion'],
    speaker: 'person',
    spoken: (output) => (isObject(output) ? (output['answers'] ?? null) : output),
  },
  { tools: ['Agent', 'Task'], speaker: 'agent' },
  { tools: ['Skill'], speaker: 'workspace' },
]

/** The source of what a search through the agent's memory found, where a file of it was written under taint. */
const foundInMemory = (
  { session, payload: { input, output } }: StepOf<'toolCallResult'>,
  tainted: TaintedStore,
): Source | undefined => {
  // Other sessions have read what this one does not know of.
  if (/^(?:all|sessions|wiki)$/.test(text(input['corpus']))) return { label: 'memory of other sessions' }
  const results = member(member(output, 'details'), 'results')
  for (const one of isArray(results) ? results : []) {
    const path = member(one, 'path')
    const known = typeof path === 'string' ? tainted.pathSource(posix.resolve(session.cwd ?? '/', path)) : undefined
    if (known !== undefined) return known
  }
  return undefined
}

/**
 * OpenClaw 2026.9.6. What strangers wrote comes by messages, pages, other machines' screens, and by other sessions, whose
 * past this one does not know. Lists that the gateway keeps of people and sessions hold names that strangers gave themselves.
 */
const OPENCLAW: readonly ResultRow[] = [
  {
    tools: ['ask_user'],
    speaker: 'person',
    // The text beside it repeats the agent's question.
    spoken: (output) => member(member(member(output, 'details'), 'answers'), 'answers') ?? null,
  },
  { tools: ['memory_search'], speaker: 'workspace', source: foundInMemory },
  {
    tools: ['process'],
    speaker: 'workspace',
    source: (step, tainted) => {
      const mark = shownProcess(step)
      return mark === undefined ? undefined : tainted.pathSource(mark)
    },
  },
  {
    tools: ['message'],
    actions: listed(
      'send broadcast poll poll-vote react edit unsend reply sendWithEffect sendAttachment delete pin unpin thread-create thread-reply sticker upload-file',
    ),
    speaker: 'agent',
  },
  { tools: ['nodes'], actions: listed('status describe pending approve reject notify which'), speaker: 'agent' },
  { tools: ['subagents'], actions: ['list', 'cancel'], speaker: 'agent' },
  { tools: ['plugins'], actions: listed('list inspect enable disable uninstall reload install'), speaker: 'agent' },
  { tools: ['transcripts'], actions: ['start', 'stop', 'status'], speaker: 'agent' },
  { tools: ['automations', 'cron'], actions: ['runs'], speaker: 'untrusted' },
  {
    tools: listed(
      'message nodes subagents plugins transcripts browser computer mobile_ui x_search code_execution conversations_turn sessions_history sessions_search sessions_send agents_wait tool_call wait',
    ),
    speaker: 'untrusted',
  },
  {
    tools: listed(
      'conversations_list conversations_send sessions sessions_list sessions_spawn session_status agents_list terminal openclaw gateway automations cron github_publish',
    ),
    speaker: 'agent',
  },
]

const TABLES: ReadonlyMap<string, readonly ResultRow[]> = new Map([
  ['claude-code', CLAUDE_CODE],
  ['openclaw', OPENCLAW],
])

/** The row of a host's own tool; another host's tool of this name may return anybody's text. */
export const hostResult = (host: string, tool: string, input: JsonObject): ResultRow | undefined => {
  const { action } = input
  const word = typeof action === 'string' ? action.trim() : undefined
  return TABLES.get(host)?.find(
    ({ tools, actions }) =>
      tools.includes(tool) && (actions === undefined || (word !== undefined && actions.includes(word))),
  )
}
