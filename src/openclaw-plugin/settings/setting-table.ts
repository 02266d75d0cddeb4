import { CONTROLS, RUNS, SENDS, STARTS, WRITES } from '../host/host-tools.ts'
import { modesOf, PROTECTIONS } from './modes.ts'

/** Type of a setting. Defaults are in `DEFAULTS`, and described in `otherwise`. */
export type SettingValue =
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'switch' }
  | { readonly type: 'text' }
  | { readonly type: 'whole'; readonly least: number; readonly most: number }
  | { readonly type: 'names' }
  | { readonly type: 'members'; readonly members: Readonly<Record<string, string>> }

/** The section of a setting on the host's settings page. */
export type SettingGroup = 'guard' | 'messages' | 'tools' | 'scanner' | 'old'

/** One key of `plugins.entries.sallyport.config`. The manifest and docs/hosts/openclaw-config.md are made from it. */
export interface SettingRow {
  readonly key: string
  readonly group: SettingGroup
  /** For the host's settings page. */
  readonly label: string
  readonly meaning: string
  readonly value: SettingValue
  /** The default, described for people. */
  readonly otherwise: string
  readonly placeholder?: string
  /** Its value is a secret. */
  readonly sensitive?: true
  /** Values that `openclaw doctor` calls dangerous. */
  readonly dangerous?: string | boolean
  /** For a key of the 2.x line of the Prisma AIRS plugin: the protections that it switches. */
  readonly switches?: readonly string[]
}

/** Groups in the order of the settings page. */
export const SETTING_GROUPS: Readonly<Record<SettingGroup, string>> = {
  guard: 'Guard',
  messages: 'Messages',
  tools: 'Tools',
  scanner: 'Prisma AIRS',
  old: 'Keys of the 2.x line',
}

/** The host's deadline of a hook in milliseconds; ours has to be shorter. */
const HOST_DEADLINE_MS = 15_000

/** Values of omitted keys. */
export const DEFAULTS = {
  profile_name: 'default',
  app_name: 'openclaw',
  reminder_mode: 'on',
  mode: 'deterministic',
  fail_closed: true,
  dlp_mask_only: true,
  deadline_ms: 8_000,
  high_risk_tools: [...RUNS, ...WRITES, ...SENDS, ...STARTS, ...CONTROLS, 'browser'],
} as const

const MESSAGE_MODES = ['inbound-block', 'audit', 'context', 'prompt-scan', 'outbound-block', 'outbound', 'llm-audit']
/** Without these, steps continue without a decision. */
const VITAL = ['inbound-block', 'outbound-block', 'outbound', 'tool-guard', 'tool-redact']

const modeRows: readonly SettingRow[] = PROTECTIONS.map((row) => ({
  key: row.key,
  group: MESSAGE_MODES.includes(row.protection) ? 'messages' : 'tools',
  label: `${row.protection} mode`,
  meaning:
    'tool' in row
      ? `${row.does} \`probabilistic\` leaves it to the model, which calls the tool \`${row.tool}\`.`
      : row.does,
  value: { type: 'choice', values: modesOf(row) },
  otherwise: DEFAULTS.mode,
  ...(VITAL.includes(row.protection) ? { dangerous: 'off' } : {}),
}))

const old = (key: string, label: string, switches: readonly string[]): SettingRow => ({
  key,
  group: 'old',
  label,
  meaning: `From version 2.x: \`true\` sets ${switches.join(', ')} to \`deterministic\`, \`false\` to \`off\`. Use the modes instead.`,
  value: { type: 'switch' },
  otherwise: 'the modes apply',
  switches,
})

/** Every setting of the plugin, in the order of the documentation. */
export const SETTING_ROWS: readonly SettingRow[] = [
  {
    key: 'fail_closed',
    group: 'guard',
    label: 'Fail closed',
    meaning:
      'Whether a step without a verdict is refused. With `true`, no mode may be `probabilistic`, because a step that the model forgets to check would run.',
    value: { type: 'switch' },
    otherwise: String(DEFAULTS.fail_closed),
    dangerous: false,
  },
  {
    key: 'deadline_ms',
    group: 'guard',
    label: 'Deadline (ms)',
    meaning: `Milliseconds that a step may wait for its verdict. The host gives up after ${HOST_DEADLINE_MS} ms and then allows most steps; the plugin answers before that.`,
    value: { type: 'whole', least: 100, most: HOST_DEADLINE_MS - 1_000 },
    otherwise: String(DEFAULTS.deadline_ms),
  },
  {
    key: 'data',
    group: 'guard',
    label: 'Data folder',
    meaning: 'Data folder of the guard in the gateway: trace, approvals, labels of sessions.',
    value: { type: 'text' },
    otherwise: '`sallyport` in the state folder of OpenClaw',
    placeholder: '/home/me/.openclaw/sallyport',
  },
  {
    key: 'server',
    group: 'guard',
    label: 'Sallyport server',
    meaning:
      'A running Sallyport to use instead of a guard in the gateway: by `socket`, or by `url` (`https:`, or `http:` on this machine) with a token from `tokenFile` or from the variable `tokenEnv`.',
    value: {
      type: 'members',
      members: {
        url: 'Its URL, without a path.',
        socket: 'Absolute path of its unix socket.',
        tokenFile: 'Absolute path of the file with its bearer token.',
        tokenEnv: 'Environment variable of the gateway with that token.',
      },
    },
    otherwise: 'the guard runs in the gateway',
  },
  {
    key: 'reminder_mode',
    group: 'messages',
    label: 'Reminder',
    meaning: 'Adds to the system prompt that the agent is guarded, and what the agent has to scan itself.',
    value: { type: 'choice', values: ['on', 'off'] },
    otherwise: DEFAULTS.reminder_mode,
  },
  ...modeRows,
  {
    key: 'dlp_mask_only',
    group: 'messages',
    label: 'Mask data instead of blocking',
    meaning: 'Masks secrets and personal data in a reply, instead of blocking it, if nothing else was found.',
    value: { type: 'switch' },
    otherwise: String(DEFAULTS.dlp_mask_only),
  },
  {
    key: 'high_risk_tools',
    group: 'tools',
    label: 'High-risk tools',
    meaning: 'Tools that are blocked after a message with a threat of any category; case-insensitive.',
    value: { type: 'names' },
    otherwise: DEFAULTS.high_risk_tools.map((tool) => `\`${tool}\``).join(', '),
  },
  {
    key: 'api_key',
    group: 'scanner',
    label: 'API key',
    meaning: 'API key of Prisma AIRS, to use that scanner too. Without it, nothing leaves the machine.',
    value: { type: 'text' },
    otherwise: 'that scanner is not used',
    sensitive: true,
  },
  {
    key: 'profile_name',
    group: 'scanner',
    label: 'Security profile',
    meaning: 'Security profile of Prisma AIRS for scans; results contain it.',
    value: { type: 'text' },
    otherwise: DEFAULTS.profile_name,
    placeholder: DEFAULTS.profile_name,
  },
  {
    key: 'app_name',
    group: 'scanner',
    label: 'Application name',
    meaning: 'Application name sent to Prisma AIRS.',
    value: { type: 'text' },
    otherwise: DEFAULTS.app_name,
    placeholder: DEFAULTS.app_name,
  },
  old('prompt_scanning', 'Prompt scanning', ['inbound-block', 'audit', 'context', 'prompt-scan']),
  old('response_scanning', 'Response scanning', ['outbound-block', 'outbound']),
  old('tool_protection', 'Tool protection', ['tool-guard', 'tools', 'tool-redact', 'tool-audit']),
]
