import type { ToolRef } from '../../protocol/step.ts'
import { CLAUDE_CODE_TOOLS } from './tools/claude-code.ts'
import { OPENCLAW_TOOLS } from './tools/openclaw/tools.ts'
import type { ToolRow } from './tools/tool.ts'

/**
 * The tables of hosts' own tools, by the host's id in a step. What one host calls by a name may take other arguments on
 * another, so a table counts for its host alone. A new host is one row.
 */
const HOST_TOOLS: ReadonlyMap<string, readonly ToolRow[]> = new Map([
  ['claude-code', CLAUDE_CODE_TOOLS],
  ['openclaw', OPENCLAW_TOOLS],
])

const ROWS: ReadonlyMap<string, ReadonlyMap<string, ToolRow>> = new Map(
  [...HOST_TOOLS].map(([host, rows]) => [
    host,
    new Map(rows.flatMap((row) => row.names.map((name) => [name, row] as const))),
  ]),
)

/** The row of a host's own tool; tools of servers, and tools not known here, have none. */
export const hostToolRow = (host: string, tool: ToolRef): ToolRow | undefined =>
  tool.server === undefined ? ROWS.get(host)?.get(tool.name) : undefined
