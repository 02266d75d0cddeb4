import {
  CLI_COMMAND,
  HOST_FLOOR,
  MODEL_TOOLS,
  PLUGIN_ID,
  RESULT_RUNTIMES,
} from '../src/openclaw-plugin/settings/plugin-contracts.ts'
import { PROTECTIONS } from '../src/openclaw-plugin/settings/modes.ts'
import type { SettingRow, SettingValue } from '../src/openclaw-plugin/settings/setting-table.ts'
import { SETTING_GROUPS, SETTING_ROWS } from '../src/openclaw-plugin/settings/setting-table.ts'
import { expectedOf } from '../src/openclaw-plugin/settings/settings.ts'

type Schema = Readonly<Record<string, unknown>>

const TEXT: Schema = { type: 'string', minLength: 1 }

const valueSchema = (value: SettingValue): Schema => {
  switch (value.type) {
    case 'choice':
      return { type: 'string', enum: value.values }
    case 'switch':
      return { type: 'boolean' }
    case 'text':
      return TEXT
    case 'whole':
      return { type: 'integer', minimum: value.least, maximum: value.most }
    case 'names':
      return { type: 'array', items: TEXT }
    case 'members':
      return {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(
          Object.entries(value.members).map(([member, description]) => [member, { ...TEXT, description }]),
        ),
        oneOf: [{ required: ['url'] }, { required: ['socket'] }],
        not: { required: ['tokenFile', 'tokenEnv'] },
      }
    default:
      return value satisfies never
  }
}

const modeKeys = (protections: readonly string[]): readonly string[] =>
  PROTECTIONS.filter(({ protection }) => protections.includes(protection)).map(({ key }) => key)

const each = (keys: readonly string[], schema: Schema): Schema => ({
  properties: Object.fromEntries(keys.map((key) => [key, schema])),
})

const set = (key: string, value: string | boolean): Schema => ({
  properties: { [key]: { const: value } },
  required: [key],
})

const implies = (given: Schema, holds: Schema): Schema => ({ anyOf: [{ not: given }, holds] })

const LEFT_TO_MODEL: Schema = implies(
  { anyOf: PROTECTIONS.filter((row) => 'tool' in row).map(({ key }) => set(key, 'probabilistic')) },
  set('fail_closed', false),
)

const agreesWithModes = ({ key, switches = [] }: SettingRow): readonly Schema[] =>
  [true, false].map((on) =>
    implies(set(key, on), each(modeKeys(switches), on ? { not: { const: 'off' } } : { const: 'off' })),
  )

/**
 * JSON Schema of the settings. The host checks it before any code of the plugin runs, and does not start with invalid
 * settings, so it also covers contradictions. Without defaults: the host would fill them in, and omitted settings could
 * not be distinguished from set ones.
 */
const configSchema = (): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    SETTING_ROWS.map(({ key, meaning, value }) => [key, { ...valueSchema(value), description: meaning }]),
  ),
  allOf: [
    LEFT_TO_MODEL,
    { not: { required: ['data', 'server'] } },
    { not: { required: ['api_key', 'server'] } },
    ...SETTING_ROWS.filter(({ switches }) => switches !== undefined).flatMap(agreesWithModes),
  ],
})

const uiHint = ({ label, meaning, otherwise, placeholder, sensitive, group }: SettingRow): Schema => ({
  label,
  help: `${meaning} Default: ${otherwise}.`.replaceAll('`', ''),
  ...(placeholder === undefined ? {} : { placeholder }),
  ...(sensitive === true ? { sensitive } : {}),
  ...(group === 'old' ? { advanced: true } : {}),
})

const configGroups = (): readonly Schema[] =>
  Object.entries(SETTING_GROUPS).map(([id, title], index) => ({
    id,
    title,
    order: (index + 1) * 10,
    properties: SETTING_ROWS.filter(({ group }) => group === id).map(({ key }) => key),
  }))

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** `npm/openclaw/openclaw.plugin.json` (docs/plugins/manifest.md of the host). */
export const manifestText = (version: string): string =>
  json({
    id: PLUGIN_ID,
    name: 'Sallyport',
    description:
      'Every message, tool call and reply of the agent goes through the Sallyport guard and is recorded in a trace.',
    version,
    categories: ['security'],
    activation: { onStartup: true },
    cliCommands: [CLI_COMMAND],
    contracts: {
      tools: MODEL_TOOLS,
      agentToolResultMiddleware: RESULT_RUNTIMES,
    },
    configContracts: {
      dangerousFlags: SETTING_ROWS.flatMap(({ key, dangerous }) =>
        dangerous === undefined ? [] : [{ path: key, equals: dangerous }],
      ),
      secretInputs: {
        paths: SETTING_ROWS.flatMap(({ key, sensitive }) =>
          sensitive === true ? [{ path: key, expected: 'string' }] : [],
        ),
      },
    },
    configSchema: configSchema(),
    configGroups: configGroups(),
    uiHints: Object.fromEntries(SETTING_ROWS.map((row) => [row.key, uiHint(row)])),
  })

/** `npm/openclaw/package.json`; the bundle is the only code in the package. */
export const packageText = (version: string): string =>
  json({
    name: '@sallyport/openclaw',
    version,
    description: 'Sallyport for OpenClaw: one guard in front of every message, tool call and reply of the agent.',
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=24.16' },
    keywords: ['openclaw', 'openclaw-plugin', 'security', 'guard', 'guardrails'],
    files: ['dist', 'models', 'policies', 'openclaw.plugin.json', 'README.md', 'LICENSE', 'THIRD-PARTY.txt'],
    peerDependencies: { openclaw: `>=${HOST_FLOOR}` },
    peerDependenciesMeta: { openclaw: { optional: true } },
    openclaw: {
      extensions: ['./dist/index.js'],
      compat: { pluginApi: `>=${HOST_FLOOR}`, minGatewayVersion: HOST_FLOOR },
      build: { openclawVersion: HOST_FLOOR, pluginSdkVersion: HOST_FLOOR },
    },
  })

const valuesOf = (value: SettingValue): string =>
  value.type === 'choice' ? value.values.map((one) => `\`${one}\``).join(', ') : expectedOf(value)

/** `docs/hosts/openclaw-config.md`. */
export const settingsPage = (): string =>
  [
    '# OpenClaw: the settings of the plugin',
    '',
    'They belong in `openclaw.json` under `plugins.entries.sallyport.config`; all are optional. Unknown keys, invalid values and',
    'settings that contradict each other are refused, by OpenClaw before it starts and by the plugin when it is loaded; no',
    'default replaces a wrong value. The policy of the guard is not set here but in',
    '[sallyport.yaml](../config.md). This page is generated from `src/openclaw-plugin/settings/setting-table.ts` (`npm run generate`).',
    '',
    ...Object.entries(SETTING_GROUPS).flatMap(([id, title]) => [
      `## ${title}`,
      '',
      '| key | values | default | meaning |',
      '|---|---|---|---|',
      ...SETTING_ROWS.filter(({ group }) => group === id).map(
        ({ key, value, otherwise, meaning }) => `| \`${key}\` | ${valuesOf(value)} | ${otherwise} | ${meaning} |`,
      ),
      '',
    ]),
  ].join('\n')
