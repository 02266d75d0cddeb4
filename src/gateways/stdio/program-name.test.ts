import { expect, test } from 'vitest'
import { programName } from './program-name.ts'

test.each([
  { line: ['/usr/bin/mcp-notes', '--all'], name: 'mcp-notes' },
  { line: ['notes.exe'], name: 'notes' },
  { line: ['npx', '-y', '@acme/server-files', '/data'], name: '@acme/server-files' },
  { line: ['node', '/srv/tools/server.js'], name: 'server.js' },
  { line: ['docker', 'run', '-i', 'mcp/fetch'], name: 'mcp/fetch' },
  { line: ['uv', 'run', 'notes'], name: 'notes' },
  { line: ['sh'], name: 'sh' },
])('$line starts $name', ({ line, name }) => {
  expect(programName(line)).toBe(name)
})
