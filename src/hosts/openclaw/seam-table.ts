import { BESIDE_MARKS, REQUEST_HEADINGS, TEXT_FUNCTIONS } from './host-internals.ts'

/** A part of the host that the guard depends on, and how to find it in the host's files. */
export interface SeamRow {
  /** Its name in the host: a registration, a hook, a function or a mark in its texts. */
  readonly of: string
  /** The consequence when it is missing. */
  readonly gone: string
  /** Prefix of the file in the host's `dist` where it was found; the other files are searched after it. */
  readonly file: string
  /** Texts of the host's code: one of each group has to exist. */
  readonly needs: readonly (readonly string[])[]
}

const called = (name: string): string => `function ${name}(`
const quoted = (text: string): string => JSON.stringify(text)

/**
 * The seams of OpenClaw 2026.9.6 that may disappear silently: functions and marks of its internals are in no changelog,
 * and a removed hook is ignored with a warning.
 */
export const SEAMS = {
  'text-transforms': {
    of: 'registerTextTransforms',
    gone: 'model answers bypass the guard',
    file: 'plugin-text-transforms-',
    needs: [['.replace(replacement.from, replacement.to)']],
  },
  'output-place': {
    of: `${TEXT_FUNCTIONS.event}, ${TEXT_FUNCTIONS.message[0]}`,
    gone: 'partial answers cannot be distinguished from complete ones',
    file: 'plugin-text-transforms-',
    needs: [[called(TEXT_FUNCTIONS.event)], TEXT_FUNCTIONS.message.map(called)],
  },
  'output-argument': {
    of: TEXT_FUNCTIONS.argument,
    gone: 'arguments of tool calls cannot be distinguished from text of the model',
    file: 'plugin-text-transforms-',
    needs: [[called(TEXT_FUNCTIONS.argument)]],
  },
  'input-text': {
    of: 'registerTextTransforms',
    gone: 'model requests bypass the guard',
    file: 'plugin-text-transforms-',
    needs: [[called('transformStreamContextText')]],
  },
  'runtime-context': {
    of: BESIDE_MARKS.type,
    gone: 'context next to a prompt is not shown in its place',
    file: 'internal-runtime-context-',
    needs: [[quoted(BESIDE_MARKS.type)], [quoted(BESIDE_MARKS.begin)]],
  },
  'request-context': {
    of: REQUEST_HEADINGS[0],
    gone: 'context of a request is not shown in its place',
    file: 'system-prompt-params-',
    needs: REQUEST_HEADINGS.map((heading) => [quoted(heading)]),
  },
  before_agent_run: {
    of: 'before_agent_run',
    gone: 'runs start without the guard',
    file: 'hooks-',
    needs: [['"before_agent_run"']],
  },
  before_tool_call: {
    of: 'before_tool_call',
    gone: 'tools are called without the guard',
    file: 'hooks-',
    needs: [['"before_tool_call"']],
  },
  'tool-result': {
    of: 'registerAgentToolResultMiddleware',
    gone: 'the model reads results that were not checked',
    file: 'loader-runtime-load-',
    needs: [['registerAgentToolResultMiddleware']],
  },
} as const satisfies Readonly<Record<string, SeamRow>>

/** A seam by its name. */
export type SeamName = keyof typeof SEAMS

/** Every seam, by name. */
export const SEAM_NAMES = Object.keys(SEAMS) as readonly SeamName[]
