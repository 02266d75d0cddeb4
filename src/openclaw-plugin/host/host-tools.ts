/**
 * OpenClaw's own tools by what they could do, lower-case. Ids of OpenClaw 2026.9.6 (docs/tools, and the tools of real
 * runs), beside the names that older hosts and other agents have for the same.
 */

/** Runs commands or code, here or on a paired machine. */
export const RUNS = ['exec', 'bash', 'process', 'terminal', 'code_execution', 'nodes', 'computer', 'eval'] as const

/** Speaks to a database. */
export const QUERIES = ['database', 'query', 'sql'] as const

/** Changes files. */
export const WRITES = ['write', 'edit', 'notebookedit', 'apply_patch'] as const

/** Says something to somebody else: a person, a channel, another session. */
export const SENDS = ['message', 'sessions_send', 'conversations_send', 'conversations_turn'] as const

/** Has work done later or by another agent, which no longer stands in this turn. */
export const STARTS = ['cron', 'automations', 'sessions_spawn', 'sessions', 'subagents', 'intent'] as const

/** Changes the host itself, what it knows how to do, or whom it trusts. */
export const CONTROLS = ['gateway', 'plugins', 'openclaw', 'secrets', 'skill_workshop', 'portal', 'mobile_ui'] as const

/** Goes to an address of the web. */
export const FETCHES = ['web_fetch', 'webfetch', 'browser', 'curl', 'web_search', 'x_search'] as const

/** Only reads or shows: the tools that stay when an agent is no longer trusted. */
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

/** Hands a call on to another tool, which is then looked at by its own name (docs/tools/tool-search.md). */
export const CARRIES = ['tool_search', 'tool_describe', 'tool_call'] as const
