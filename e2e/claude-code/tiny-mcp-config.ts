import { join } from 'node:path'
import { MAIL } from './fixtures.ts'

/** How the tiny MCP server is started. */
export const TINY_MCP = { command: process.execPath, args: [join(import.meta.dirname, 'tiny-mcp.ts')] }

/** Arguments that give the client a person who answers its permission questions, beside the server. */
export const PERMIT_ARGS: readonly string[] = ['--permission-prompt-tool', 'mcp__tiny__permit']

/** Arguments that give the client the tiny MCP server, as `tiny`, with this mail in its mailbox. */
export const tinyMcpArgs = (mail: string): readonly string[] => [
  '--mcp-config',
  JSON.stringify({ mcpServers: { tiny: { ...TINY_MCP, args: [...TINY_MCP.args, mail] } } }),
]

/** The same, with the usual mail. */
export const TINY_MCP_ARGS = tinyMcpArgs(MAIL)
