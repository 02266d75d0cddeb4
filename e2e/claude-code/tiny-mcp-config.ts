import { join } from 'node:path'

/** How the tiny MCP server is started. */
export const TINY_MCP = { command: process.execPath, args: [join(import.meta.dirname, 'tiny-mcp.ts')] }

/** Arguments that give the client a person who answers its permission questions, beside the server. */
export const PERMIT_ARGS: readonly string[] = ['--permission-prompt-tool', 'mcp__tiny__permit']

/** Arguments that give the client the tiny MCP server, as `tiny`. */
export const TINY_MCP_ARGS: readonly string[] = ['--mcp-config', JSON.stringify({ mcpServers: { tiny: TINY_MCP } })]
