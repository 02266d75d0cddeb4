import type { ModelToolName, Modes } from './modes.ts'
import { modelToolsOf } from './modes.ts'
import type { PluginSettings } from './settings.ts'

/** What the plugin does in a gateway, for operators. Holds no secret of the settings. */
export interface PluginStatus {
  readonly version: string
  /** Who decides: a guard in the gateway, or a server. */
  readonly guard: 'gateway' | 'server'
  readonly failClosed: boolean
  readonly deadlineMs: number
  readonly reminder: boolean
  readonly modes: Modes
  /** Tools that the model has. */
  readonly tools: readonly ModelToolName[]
  readonly profileName: string
  /** What cannot be guarded here and why, in sentences. */
  readonly gaps: readonly string[]
}

/** The status that follows from the settings. */
export const statusOf = (settings: PluginSettings, version: string, gaps: readonly string[]): PluginStatus => ({
  version,
  guard: settings.server === undefined ? 'gateway' : 'server',
  failClosed: settings.failClosed,
  deadlineMs: settings.deadlineMs,
  reminder: settings.reminder,
  modes: settings.modes,
  tools: modelToolsOf(settings.modes),
  profileName: settings.scanner.profileName,
  gaps,
})

const row = (name: string, value: string): string => `  ${name.padEnd(16)}${value}`

/** The same for people. */
export const statusText = ({ version, guard, failClosed, deadlineMs, reminder, modes, gaps }: PluginStatus): string =>
  [
    `Sallyport ${version} guards this gateway; ${guard === 'server' ? 'a Sallyport server' : 'a guard inside it'} decides.`,
    row('fails', failClosed ? 'closed: no verdict, no step' : 'open: without a verdict a step happens'),
    row('deadline', `${deadlineMs} ms`),
    row('reminder', reminder ? 'on' : 'off'),
    ...Object.entries(modes).map(([protection, mode]) => row(protection, mode)),
    ...(gaps.length === 0 ? [] : ['Not guarded:', ...gaps.map((gap) => `  - ${gap}`)]),
  ].join('\n')
