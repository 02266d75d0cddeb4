import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Command } from '../../src/cli/io/io.ts'
import { HOST_TESTED } from '../../src/hosts/openclaw/host-internals.ts'
import { SEAM_NAMES } from '../../src/hosts/openclaw/seam-table.ts'
import { codeWith } from './openclaw-code.ts'
import { runCommand } from './run-command.ts'
import type { CommandRun } from './run-command.ts'

/** A home of its own, with a built plugin and no OpenClaw on its PATH unless one is put there. */
export interface OpenClawHome {
  readonly home: string
  readonly config: string
  /** A built plugin: it registers two hooks, and uses whatever else the host offers. */
  readonly plugin: string
  readonly env: Record<string, string>
  run(command: Command, ...args: string[]): Promise<CommandRun>
  write(path: string, text: string, mode?: number): void
}

const PLUGIN_CODE = `export default { id: 'sallyport', register(api) {
  api.logger.info('registered')
  api.registerTool({ name: 'x' })
  api.lifecycle.onDispose?.(() => {})
  api.on('before_tool_call', () => {})
  if (api.pluginConfig.inbound_block_mode !== 'off') api.on('before_agent_run', () => {})
} }`

/** Makes such a home; it goes with the test. */
export const makeOpenClawHome = (): OpenClawHome => {
  const home = mkdtempSync(join(tmpdir(), 'sp-oc-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const plugin = join(home, 'package', 'npm', 'openclaw')
  mkdirSync(join(plugin, 'dist'), { recursive: true })
  writeFileSync(join(plugin, 'dist', 'index.js'), PLUGIN_CODE)
  const env: Record<string, string> = { PATH: join(home, 'bin'), SALLYPORT_OPENCLAW_PLUGIN: plugin }
  return {
    home,
    plugin,
    env,
    config: join(home, '.openclaw', 'openclaw.json'),
    write(path, text, mode = 0o644) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      chmodSync(path, mode)
    },
    run: (command, ...args) => runCommand(command, ['openclaw', ...args], { env, cwd: home, home }),
  }
}

/** Text of a file. */
export const read = (path: string): string => readFileSync(path, 'utf8')

/** A program that answers as the host does: by the command, with a text and an exit code. */
export const programOf = (place: OpenClawHome, answers: Readonly<Record<string, object>>): string => {
  const root = join(place.home, 'openclaw')
  const path = join(root, 'openclaw.mjs')
  place.write(join(root, 'package.json'), JSON.stringify({ name: 'openclaw', version: HOST_TESTED }))
  place.write(join(root, 'dist', 'host.mjs'), codeWith(SEAM_NAMES))
  const script = [
    `const answers = ${JSON.stringify(answers)}`,
    `const words = process.argv.slice(2)`,
    `const key = words[0] === 'gateway' ? words[2] : words[1]`,
    `process.stdout.write(JSON.stringify(answers[key] ?? { ok: false, error: { message: 'unknown method: ' + key } }))`,
  ]
  place.write(path, script.join('\n'), 0o755)
  return path
}

/** The hooks that the plugin registers by default. */
export const HOOKS = [{ name: 'before_tool_call' }, { name: 'before_agent_run' }]

/** The host's report on the plugin when everything works. */
export const loaded = ({ plugin }: OpenClawHome): object => ({
  plugin: { status: 'loaded', version: '0.1.0', rootDir: plugin },
  typedHooks: HOOKS,
  diagnostics: [],
  policy: { allowConversationAccess: true },
})
