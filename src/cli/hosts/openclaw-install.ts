import { readArguments } from '../io/arguments.ts'
import { SallyportError } from '../../errors/errors.ts'
import { addPlugin, removePlugin } from '../../hosts/openclaw/setup/config-file.ts'
import { configText } from '../../hosts/openclaw/setup/config-text.ts'
import { coverageOf, DEADLINE_MS } from '../../hosts/openclaw/setup/coverage.ts'
import { isHomeOfCaller } from '../../hosts/setup/ownership.ts'
import { readText } from '../../hosts/setup/text-file.ts'
import type { ExitCode, Io } from '../io/io.ts'
import { refuseMoreArguments } from './host-action.ts'
import {
  hostChecks,
  openClawLocation,
  openClawProgram,
  LOCATION_OPTIONS,
  PLUGIN,
  pluginSettings,
  requireBuiltPlugin,
} from './openclaw-location.ts'
import { checkLines, allPassed } from './check-lines.ts'

/** Remaining settings against the guard: the person's own, which are left alone. */
const warnings = (path: string): readonly string[] => {
  const { deadline_ms: deadline } = pluginSettings(path)
  const deadlineMs = typeof deadline === 'number' ? deadline : DEADLINE_MS
  return coverageOf(configText(path, readText(path)).value, { id: PLUGIN, deadlineMs }).flatMap(
    ({ outcome, found, advice }) => (outcome === 'fault' ? [[found, advice].join(' ').trim()] : []),
  )
}

/** `sallyport install openclaw`. */
export const installOpenClaw = async (args: readonly string[], io: Io): Promise<ExitCode> => {
  const { values, positionals } = readArguments(args, { ...LOCATION_OPTIONS, client: { type: 'string' } })
  refuseMoreArguments(positionals, 'openclaw', 'install')
  if (!isHomeOfCaller(io.home, io.env))
    throw new SallyportError('SP_USAGE', {
      detail: `HOME is ${io.home}, which belongs to another user than the gateway would run as: use \`sudo --preserve-env=HOME\`.`,
      command: 'install',
    })
  const place = openClawLocation(values, io)
  const { file, entry } = place
  requireBuiltPlugin(entry)
  const host = openClawProgram(values.client, file.path, io, 'install')
  const change = addPlugin(file, entry)
  if (change === 'unchanged') io.out(`${file.path} already contains the guard's plugin; nothing was changed.`)
  else
    io.out(
      [
        `${file.path}: OpenClaw now loads the guard's plugin from ${entry.folder}, and lets it read conversations.`,
        `The guard runs in the gateway and stores its records in ${file.data}.`,
        'A running gateway loads it by itself; with gateway.reload.mode off, restart the gateway.',
      ].join('\n'),
    )
  for (const warning of warnings(file.path)) io.err(`warning: ${warning}`)
  if (host === undefined) {
    io.err(
      'warning: OpenClaw was not found, so it was not checked whether it loads the plugin. Pass it with --client, or ' +
        'run `sallyport doctor openclaw` where it is installed.',
    )
    return 0
  }
  const checks = await hostChecks(host, place)
  io.out(checkLines(checks))
  if (!allPassed(checks)) return 1
  io.out('Next: `sallyport doctor openclaw` proves with a harmless canary that the running gateway asks the guard.')
  return 0
}

/** `sallyport uninstall openclaw`. */
export const uninstallOpenClaw = async (args: readonly string[], io: Io): Promise<ExitCode> => {
  const { values, positionals } = readArguments(args, LOCATION_OPTIONS)
  refuseMoreArguments(positionals, 'openclaw', 'uninstall')
  const { file, entry } = openClawLocation(values, io)
  const change = removePlugin(file, entry)
  io.out(
    {
      unchanged: `${file.path} does not contain the guard's plugin; nothing was changed.`,
      written: `${file.path}: the guard's plugin was removed. Agents of this gateway are NOT guarded from now on.`,
      removed: `${file.path} was created by the installation and was removed. Agents of this gateway are NOT guarded.`,
    }[change],
  )
  return 0
}
