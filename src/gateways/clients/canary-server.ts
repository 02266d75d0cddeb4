/**
 * The MCP server of `doctor mcp`: a program of its own that only answers. Every answer to a call has the notes of all
 * calls that have reached it, so that its client sees what did not.
 */
import process from 'node:process'
import { createInterface } from 'node:readline'
import { isObject } from '../../protocol/json.ts'

const TOOL = {
  name: 'note',
  description: 'Remembers a note.',
  inputSchema: { type: 'object', properties: { note: { type: 'string' }, command: { type: 'string' } } },
}

const notes: string[] = []

const resultOf = (method: unknown, params: unknown): unknown => {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'sallyport-canary', version: '1' },
    }
  if (method === 'tools/list') return { tools: [TOOL] }
  if (method !== 'tools/call') return {}
  const input = isObject(params) ? params['arguments'] : undefined
  notes.push(isObject(input) ? String(input['note']) : '')
  return { content: [{ type: 'text', text: notes.join(',') }] }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message: unknown = JSON.parse(line)
  if (!isObject(message) || message['id'] === undefined) return
  const result = resultOf(message['method'], message['params'])
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message['id'], result })}\n`)
})
