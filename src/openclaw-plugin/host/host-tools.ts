/**
 * OpenClaw's own tools by their possible effects, lower-case. Ids of OpenClaw 2026.9.6 (docs/tools, and the tools of
 * real runs), with the names of older hosts and other agents for the same.
 */

/** Runs commands or code, here or on a paired machine. */
export const RUNS = ['exec', 'bash', 'process', 'terminal', 'code_execution', 'nodes', 'computer', 'eval'] as const

/** Queries a database. */
export const QUERIES = ['database', 'query', 'sql'] as const

/** Changes files. */
export const WRITES = ['write', 'edit', 'notebookedit', 'apply_patch'] as const

/** Sends to another party: a person, a channel, another session. */
export const SENDS = ['message', 'sessions_send', 'conversations_send', 'conversations_turn'] as const

/** Starts work that runs later or by another agent, outside this turn. */
export const STARTS = ['cron', 'automations', 'sessions_spawn', 'sessions', 'subagents', 'intent'] as const

/** Changes the host itself, its skills, or whom it trusts. */
export const CONTROLS = ['gateway', 'plugins', 'openclaw', 'secrets', 'skill_workshop', 'portal', 'mobile_ui'] as const

/** Fetches a web address. */
export const FETCHES = ['web_fetch', 'webfetch', 'browser', 'curl', 'web_search', 'x_search'] as const

/** Only reads or shows: the tools that remain when an agent is no longer trusted. */
export const READS = [
  'read',
  'ls',
  'memory_get',
  'memory_search',
  'agents_list',
  'agents_wait',
  'sessions_list',
  'sessions_history',
  'sessions_search',
  'sessions_yield',
  'conversations_list',
  'session_status',
  'transcripts',
  'get_goal',
  'progress_card',
  'ask_user',
  'view_image',
] as const

/** Passes a call to another tool, which is then checked under its own name (docs/tools/tool-search.md). */
export const CARRIES = ['tool_search', 'tool_describe', 'tool_call'] as const
