import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createOpenClawHost } from './host.ts'

/** Payloads recorded from the real gateway; they are beside the checkout, not in it. */
const FOLDER = join(
  process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared'),
  'captures/openclaw',
)

/** Recorded file, its seam, and the kinds of step in it. */
const RECORDED = [
  { file: 'message_received', hook: 'message_received', kinds: ['userMessage'] },
  { file: 'before_dispatch', hook: 'before_dispatch', kinds: ['userMessage'] },
  { file: 'before_agent_reply', hook: 'before_agent_reply', kinds: ['userMessage'] },
  { file: 'before_agent_run', hook: 'before_agent_run', kinds: ['userMessage'] },
  { file: 'before_prompt_build', hook: 'before_prompt_build', kinds: ['modelRequest'] },
  { file: 'llm_input', hook: 'llm_input', kinds: ['modelRequest'] },
  { file: 'llm_output', hook: 'llm_output', kinds: ['modelResponse'] },
  { file: 'before_agent_finalize', hook: 'before_agent_finalize', kinds: ['agentMessage'] },
  { file: 'before_tool_call', hook: 'before_tool_call', kinds: ['toolCallRequest'] },
  { file: 'agentToolResultMiddleware', hook: 'tool_result', kinds: ['toolCallResult'] },
  { file: 'after_tool_call', hook: 'after_tool_call', kinds: ['toolCallResult', 'notice'] },
  { file: 'tool_result_persist', hook: 'tool_result_persist', kinds: ['toolCallResult'] },
  {
    file: 'before_message_write',
    hook: 'before_message_write',
    kinds: ['userMessage', 'agentMessage', 'toolCallResult'],
  },
  { file: 'reply_payload_sending', hook: 'reply_payload_sending', kinds: ['agentMessage'] },
  { file: 'message_sending', hook: 'message_sending', kinds: ['agentMessage'] },
  { file: 'session_start', hook: 'session_start', kinds: ['sessionStart'] },
] as const

interface Recorded {
  readonly event: unknown
  readonly ctx: { readonly sessionKey?: string; readonly sessionId?: string }
}

const there = existsSync(FOLDER) && readdirSync(FOLDER).length > 0
if (!there) process.stderr.write(`SKIPPED: no recorded OpenClaw events at ${FOLDER}\n`)

describe.skipIf(!there)('events recorded from the real gateway', () => {
  test.each(RECORDED)('$file', ({ file, hook, kinds }) => {
    const recorded = JSON.parse(readFileSync(join(FOLDER, `${file}.json`), 'utf8')) as readonly Recorded[]
    expect(recorded).not.toHaveLength(0)
    for (const { event, ctx } of recorded) {
      const decoded = createOpenClawHost().decode({ hook, event, context: ctx }, { at: 1, makeId: () => 'id' })
      expect(decoded).toMatchObject({
        outcome: 'step',
        step: { event: hook, session: { id: ctx.sessionKey ?? ctx.sessionId } },
      })
      expect(kinds).toContain(decoded.outcome === 'step' ? decoded.step.kind : undefined)
    }
  })
})
