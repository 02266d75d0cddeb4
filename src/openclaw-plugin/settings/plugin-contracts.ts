import type { CliDescriptor, ToolResultRuntime } from '../host/host-api.ts'
import type { ModelToolName } from './modes.ts'

/** Id of the plugin: `plugins.entries.sallyport` in the host's configuration. */
export const PLUGIN_ID = 'sallyport'

/** Loops whose tool results pass the plugin before the model sees them. */
export const RESULT_RUNTIMES: readonly ToolResultRuntime[] = ['openclaw', 'codex']

/** Every tool of the model; the host refuses one that the manifest does not name. */
export const MODEL_TOOLS: readonly ModelToolName[] = [
  'sallyport_scan',
  'sallyport_scan_prompt',
  'sallyport_scan_response',
  'sallyport_check_tool_safety',
]

/** The root command that the plugin adds to the host's CLI. */
export const CLI_COMMAND: CliDescriptor = {
  name: 'sallyport',
  description: 'Show what the Sallyport guard protects here, and scan a text with it',
  hasSubcommands: true,
}

/** The oldest host that the plugin was tested against. */
export const HOST_FLOOR = '2026.9.6'
