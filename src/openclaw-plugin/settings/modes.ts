/** How a protection runs: automatically at every step, when the model calls its tool, or not at all. */
export type Mode = 'deterministic' | 'probabilistic' | 'off'

/** A tool with which the model scans. */
export type ModelToolName =
  | 'sallyport_scan'
  | 'sallyport_scan_prompt'
  | 'sallyport_scan_response'
  | 'sallyport_check_tool_safety'

interface ProtectionRow {
  readonly protection: string
  /** The setting that sets its mode. */
  readonly key: string
  /** The model's tool when the mode is `probabilistic`; absent: it has no such mode. */
  readonly tool?: ModelToolName
  /** The automatic action. */
  readonly does: string
}

/** The protections with a mode, in the order of a turn. The reminder, which is on or off, is separate. */
export const PROTECTIONS = [
  {
    protection: 'inbound-block',
    key: 'inbound_block_mode',
    does: 'Messages that are not allowed never reach the model or the history.',
  },
  {
    protection: 'audit',
    key: 'audit_mode',
    tool: 'sallyport_scan_prompt',
    does: 'Every incoming message is scanned in parallel to the turn, for the trace and for later steps of the turn.',
  },
  {
    protection: 'context',
    key: 'context_injection_mode',
    tool: 'sallyport_scan_prompt',
    does: 'The agent is warned about a flagged message, with instructions.',
  },
  {
    protection: 'prompt-scan',
    key: 'prompt_scan_mode',
    does: 'The whole conversation is scanned before the model reads it, for attacks that are spread over messages.',
  },
  {
    protection: 'tool-guard',
    key: 'tool_guard_mode',
    does: 'Every tool call is evaluated with its arguments before it runs.',
  },
  {
    protection: 'tools',
    key: 'tool_gating_mode',
    tool: 'sallyport_check_tool_safety',
    does: 'After a flagged message, tools that could carry out the threat are blocked.',
  },
  {
    protection: 'tool-redact',
    key: 'tool_redact_mode',
    does: 'Secrets and personal data in a tool result are masked before the model reads it.',
  },
  {
    protection: 'tool-audit',
    key: 'tool_audit_mode',
    does: 'Every tool result is scanned after the call, for the trace.',
  },
  {
    protection: 'outbound-block',
    key: 'outbound_block_mode',
    does: 'Answers that are not allowed are neither delivered nor stored in the history.',
  },
  {
    protection: 'outbound',
    key: 'outbound_mode',
    tool: 'sallyport_scan_response',
    does: 'Every reply is scanned before it is delivered, and blocked or masked if needed.',
  },
  {
    protection: 'llm-audit',
    key: 'llm_audit_mode',
    does: 'Model requests and answers are recorded and scanned.',
  },
] as const satisfies readonly ProtectionRow[]

/** A protection with a mode. */
export type Protection = (typeof PROTECTIONS)[number]['protection']

/** The mode of every protection. */
export type Modes = Readonly<Record<Protection, Mode>>

/** The modes that a protection has. */
export const modesOf = (row: ProtectionRow): readonly Mode[] =>
  row.tool === undefined ? ['deterministic', 'off'] : ['deterministic', 'probabilistic', 'off']

/** The tools of the model: the plain scan always, the others where a protection is left to the model. */
export const modelToolsOf = (modes: Modes): readonly ModelToolName[] => {
  const left = PROTECTIONS.flatMap((row: ProtectionRow & { readonly protection: Protection }) =>
    row.tool !== undefined && modes[row.protection] === 'probabilistic' ? [row.tool] : [],
  )
  return [...new Set<ModelToolName>(['sallyport_scan', ...left])]
}
