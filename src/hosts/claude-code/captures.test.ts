import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClaudeCodeHost } from './host.ts'

/** Payloads recorded from the real client; they are beside the checkout, not in it. */
const FOLDER = join(
  process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared'),
  'captures/claude-code',
)
const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => /^[A-Z]\w+(\.[\w-]+)*\.json$/.test(name)) : []
if (files.length === 0) process.stderr.write(`SKIPPED: no recorded Claude Code events at ${FOLDER}\n`)

const KIND_OF: Readonly<Record<string, string>> = {
  'CwdChanged.json': 'notice',
  'InstructionsLoaded.json': 'notice',
  'MessageDisplay.json': 'agentMessage',
  'PermissionRequest.json': 'permissionRequest',
  'PostToolBatch.json': 'toolResultBatch',
  'PostToolUse.Agent.json': 'toolCallResult',
  'PostToolUse.json': 'toolCallResult',
  'PostToolUse.mcp.json': 'toolCallResult',
  'PostToolUseFailure.bash.json': 'toolCallResult',
  'PostToolUseFailure.mcp.json': 'toolCallResult',
  'PreCompact.json': 'compaction',
  'PreToolUse.in-subagent.json': 'toolCallRequest',
  'PreToolUse.json': 'toolCallRequest',
  'PreToolUse.mcp.json': 'toolCallRequest',
  'SessionEnd.json': 'sessionEnd',
  'SessionStart.json': 'sessionStart',
  'Setup.json': 'notice',
  'Stop.json': 'turnEnd',
  'StopFailure.json': 'turnEnd',
  'SubagentStart.json': 'subagentStart',
  'SubagentStop.json': 'subagentStop',
  'UserPromptExpansion.json': 'skill',
  'UserPromptSubmit.json': 'userMessage',
  'UserPromptSubmit.task-notification.json': 'systemMessage',
}

describe.skipIf(files.length === 0)('events recorded from the real client', () => {
  test.each(files)('%s', (file) => {
    const body = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Readonly<Record<string, unknown>>
    const event = file.split('.')[0] ?? ''
    const decoded = createClaudeCodeHost().decode(body, { at: 1, makeId: () => 'id', event })
    expect(decoded).toMatchObject({
      outcome: 'step',
      step: {
        kind: KIND_OF[file],
        event,
        session: { id: body['session_id'], cwd: body['cwd'], transcript: body['transcript_path'] },
        agent: body['agent_id'] === undefined ? { id: 'main' } : { id: body['agent_id'], role: 'subagent' },
      },
    })
  })
})
