/**
 * Names and marks of the host's insides that the plugin reads by (OpenClaw 2026.9.6, measured, documented nowhere). A
 * host that renames one is noticed: by the plugin while it runs, and by `sallyport doctor openclaw` in the host's files.
 */

/** The host that all of them were measured with, and that the end-to-end tests run against. */
export const HOST_TESTED = '2026.9.6'

/** Functions on the way of a model's text to a plugin's rewriting (`agents/plugin-text-transforms`). */
export const TEXT_FUNCTIONS = {
  argument: 'transformToolCallArgumentText',
  /** Either is enough: one calls the other. */
  message: ['transformMessageText', 'transformContentText'],
  event: 'transformAssistantEventText',
  /** Of backends that are programs of their own, which show whole texts only (`agents/cli-runner`). */
  program: ['transformCliResultText', 'emitCliAssistantDelta', 'emitCliCompletedReply', 'emitCliCommentaryText'],
} as const

/**
 * What a message carries that the host puts beside a prompt (`runtime-context-prompt`): quoted messages, what others said
 * in a group, names, events of the system. Any one of them tells it; all four are there.
 */
export const BESIDE_MARKS = {
  type: 'openclaw.runtime-context',
  source: 'openclaw-runtime-context',
  carrier: 'runtimeContextCarrier',
  begin: '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>',
} as const

/** How the prepared prompt of a run begins that another session or a subagent has set off: no person's words. */
export const INTER_SESSION = '[Inter-session message]'

/** Where the host's system prompt begins to hold what came with a request; of a subagent, what it was spawned with. */
export const REQUEST_HEADINGS = ['## Conversation Context', '## Subagent Context'] as const

/** What stands between the part of the system prompt that stays and the part that is made for a run. */
export const PROMPT_BOUNDARY = '<!-- OPENCLAW_CACHE_BOUNDARY -->'

/** The host's own headings behind that boundary. What stands under any other was not written by it. */
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
