/**
 * Names and marks of the host's internals that the plugin depends on (OpenClaw 2026.9.6, measured, documented nowhere).
 * A renamed one is detected: by the plugin while it runs, and by `sallyport doctor openclaw` in the host's files.
 */

/** The host version of all measurements and of the end-to-end tests. */
export const HOST_TESTED = '2026.9.6'

/** Host functions that pass a model's text to a plugin's rewriting (`agents/plugin-text-transforms`). */
export const TEXT_FUNCTIONS = {
  argument: 'transformToolCallArgumentText',
  /** Either is sufficient: one calls the other. */
  message: ['transformMessageText', 'transformContentText'],
  event: 'transformAssistantEventText',
  /** For backends that are separate programs, which show only whole texts (`agents/cli-runner`). */
  program: ['transformCliResultText', 'emitCliAssistantDelta', 'emitCliCompletedReply', 'emitCliCommentaryText'],
} as const

/**
 * Members of a message that the host adds to a prompt (`runtime-context-prompt`): quoted messages, messages of others
 * in a group, names, events of the system. Any one of the four identifies it.
 */
export const BESIDE_MARKS = {
  type: 'openclaw.runtime-context',
  source: 'openclaw-runtime-context',
  carrier: 'runtimeContextCarrier',
  begin: '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>',
} as const

/** Beginning of the prompt of a run that another session or a subagent has started: no person wrote it. */
export const INTER_SESSION = '[Inter-session message]'

/** Headings of the host's system prompt before content of a request; for a subagent, its task. */
export const REQUEST_HEADINGS = ['## Conversation Context', '## Subagent Context'] as const

/** Separates the constant part of the system prompt from the part made for a run. */
export const PROMPT_BOUNDARY = '<!-- OPENCLAW_CACHE_BOUNDARY -->'

/** The host's own headings after that boundary. It did not write what is under any other. */
export const OWN_HEADINGS: readonly string[] = [
  '## Temporal Context',
  '## Project Memory',
  '## Proactive Sub-Agent Orchestration',
  '## Delegation',
  '## Assistant Output Directives',
  '## Silent Replies',
  '## Authorized Senders',
  '## UI Presentation',
  '## Control UI Embed',
  '## Control UI Side Chat',
  '## Messaging',
  '## Collapsible Details',
  '## Voice (TTS)',
  '## Reactions',
  '## Watched Sessions',
  '## Runtime',
]
