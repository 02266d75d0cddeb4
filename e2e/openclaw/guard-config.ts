/**
 * What the guard of these worlds is told (`sallyport.yaml` of the person the gateway runs as), so that a word that means
 * nothing decides what is allowed, on every channel, and no test needs a text that could hurt if the guard failed.
 */

/** A topic that may not be spoken of: prompts, answers and calls that hold it are denied, results are reported. */
export const TOPIC = 'quinxalor'

/** A topic that is only there when both halves stand in one text, in this order: an attack spread over messages. */
export const SPREAD = { first: 'zephrine', second: 'marlowick' } as const

/** A program that may not be run; harmless. */
export const DENIED_PROGRAM = 'mkfifo'

/** A program that a person is asked about; harmless. */
export const ASKED_PROGRAM = 'cksum'

export const SALLYPORT_YAML = `topics:
  deny:
    - name: Alpha
      words: [${TOPIC}]
    - name: Beta
      patterns: ['${SPREAD.first}[\\s\\S]*${SPREAD.second}']
deny:
  commands: [${DENIED_PROGRAM}]
`

/** The person's own rule: it asks. */
export const POLICY_CEDAR = `@id("ask-cksum")
@reason("This program is for a person to decide on.")
@approval("human")
forbid (principal, action == Action::"toolCallRequest", resource)
when { context.commands.contains("${ASKED_PROGRAM}") };
`

const OFF = {
  reminder_mode: 'off',
  inbound_block_mode: 'off',
  audit_mode: 'off',
  context_injection_mode: 'off',
  prompt_scan_mode: 'off',
  tool_guard_mode: 'off',
  tool_gating_mode: 'off',
  tool_redact_mode: 'off',
  tool_audit_mode: 'off',
  outbound_block_mode: 'off',
  outbound_mode: 'off',
  llm_audit_mode: 'off',
} as const

/** Settings with every protection off but those named, so that what acts is known to be theirs. */
export const only = (...modes: readonly (keyof typeof OFF)[]): Readonly<Record<string, string>> => ({
  ...OFF,
  ...Object.fromEntries(modes.map((mode) => [mode, mode === 'reminder_mode' ? 'on' : 'deterministic'])),
})
