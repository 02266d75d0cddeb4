import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { proveGuard } from '../../client/guard-proof.ts'
import { listens } from '../../client/start-guard.ts'
import { dataFiles, dataFolder } from '../../config/data-folder.ts'
import { flyCanary } from '../../hosts/claude-code/setup/canary.ts'
import type { Check } from '../../hosts/setup/check.ts'
import { fail, ok, warn } from '../../hosts/setup/check.ts'
import { findClient } from '../../hosts/claude-code/setup/client.ts'
import type { FoundClient } from '../../hosts/claude-code/setup/client.ts'
import { hookForm } from '../../hosts/claude-code/setup/client-version.ts'
import { inspectProxy, inspectRights } from '../../hosts/claude-code/setup/inspect-machine.ts'
import { inspectSettings } from '../../hosts/claude-code/setup/inspect-settings.ts'
import type { SettingsInspection } from '../../hosts/claude-code/setup/inspect-settings.ts'
import { managedFolder, settingsPlaces } from '../../hosts/claude-code/setup/places.ts'
import { readText } from '../../hosts/setup/text-file.ts'
import type { Command, Io } from '../io.ts'
import { disabledLine, disabledNow } from '../rule-switch.ts'
import { writtenConfig } from '../written-config.ts'
import { onlyClaudeCode } from './install.ts'

const USAGE = `Usage: sallyport doctor claude-code [--client FILE] [--data DIR] [--no-canary] [--json]

Looks whether Claude Code is guarded in this folder: version, settings of all levels, proxies, rights, the guard itself.
Then starts the real client with your own settings against an API of doctor's own, has it call a tool that the guard must
refuse, and looks whether the refusal held. Nothing leaves this machine; the canary does nothing if it runs.
Exit code 1 when something has to be mended.

  --client FILE  the client (default: $CLAUDE_BIN, or claude on the PATH)
  --data DIR     the guard's data folder (default: $SALLYPORT_DATA or ~/.local/share/sallyport)
  --no-canary    do not start the client
  --json         print {"ok":…,"checks":[…]}`

const clientCheck = (client: FoundClient | undefined): Check => {
  if (client === undefined)
    return fail('client', 'Claude Code was not found', 'Name it with --client, or put `claude` on the PATH.')
  const { path, version } = client
  if (version === undefined) return warn('client', `${path} does not tell its version`, 'Is this Claude Code?')
  return hookForm(version) === 'http'
    ? ok('client', `Claude Code ${version.text} (${path})`)
    : warn(
        'client',
        `Claude Code ${version.text} is older than 2.1.295: hooks block only while our own program runs`,
        'Update Claude Code, then run `sallyport install claude-code` again.',
      )
}

const readSettings = (io: Io): SettingsInspection => {
  const around = { ...io, platform: process.platform }
  let parts: readonly string[] = []
  try {
    parts = readdirSync(join(managedFolder(around), 'managed-settings.d'))
      .filter((name) => name.endsWith('.json'))
      .toSorted()
  } catch {
    // There is no such folder on most machines.
  }
  return inspectSettings(
    settingsPlaces(around, parts).map((place) => {
      const text = readText(place.path)
      return text === undefined ? place : { ...place, text }
    }),
  )
}

const guardChecks = async (data: string, ports: readonly number[], signal: AbortSignal): Promise<readonly Check[]> => {
  const files = dataFiles(data)
  const token = readText(files.token)?.trim()
  if (token === undefined)
    return [fail('guard', `there is no token in ${data}`, 'Run `sallyport install claude-code`.')]
  const up = await listens(files.socket)
  const here = up
    ? ok('guard', `the guard answers on ${files.socket}`)
    : warn('guard', 'the guard does not run; the next session starts it', 'Or start it now: `sallyport serve`.')
  const proofs = await Promise.all(
    ports.map(async (port): Promise<readonly Check[]> => {
      const proof = await proveGuard(
        `http://127.0.0.1:${port}`,
        token,
        AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
      )
      if (proof.outcome === 'proved') return [ok('port', `it is the guard that answers on port ${port}`)]
      if (proof.outcome === 'stranger')
        return [
          fail(
            'port',
            `port ${port}, where the client's hooks go, is answered by a stranger (${proof.cause})`,
            'End that program, or install with another --port.',
          ),
        ]
      return up
        ? [
            fail(
              'port',
              `nothing answers on port ${port}, where the client's hooks go`,
              `Start the guard with --port ${port}, or run \`sallyport install claude-code\` again.`,
            ),
          ]
        : []
    }),
  )
  return [here, ...proofs.flat()]
}

/** Rules that somebody has taken out of force are easily forgotten. */
const ruleChecks = (data: string): readonly Check[] =>
  disabledNow(data, Date.now()).map((one) =>
    warn('rules', disabledLine(one), `\`sallyport policy enable ${one.rule}\` puts it into force again now.`),
  )

const rightsChecks = (data: string, settings: SettingsInspection): readonly Check[] => {
  const files = dataFiles(data)
  return inspectRights(
    [
      { path: data, forbidden: 0o077, what: 'the data folder' },
      { path: files.token, forbidden: 0o077, what: 'the token' },
      ...[files.approverToken, files.approvals]
        .filter((path) => existsSync(path))
        .map((path) => ({ path, forbidden: 0o077, what: 'what approvals are answered with' })),
      { path: files.socket, forbidden: 0o077, what: 'the socket' },
      ...settings.files
        .filter(({ level }) => level !== 'managed')
        .map(({ path }) => ({ path, forbidden: 0o077, what: 'the settings file with the token' })),
    ],
    process.getuid?.(),
  )
}

const SIGNS: Readonly<Record<Check['status'], string>> = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' }

const shown = (checks: readonly Check[]): string => {
  const width = Math.max(...checks.map(({ name }) => name.length))
  return checks
    .flatMap(({ status, name, found, advice }) => [
      `${SIGNS[status]}  ${name.padEnd(width)}  ${found}`,
      ...(advice === undefined ? [] : [`${' '.repeat(width + 8)}${advice}`]),
    ])
    .join('\n')
}

const canaryCheck = (client: FoundClient | undefined, io: Io, fixFirst: boolean): Promise<Check> | Check => {
  if (client === undefined) return warn('canary', 'not flown: there is no client', 'Name it with --client.')
  if (fixFirst) return warn('canary', 'not flown: a proxy stands in between', 'Mend that, then run doctor again.')
  const observes = writtenConfig(io).mode === 'observe'
  return flyCanary({ client: resolve(io.cwd, client.path), env: io.env, cwd: io.cwd, observes, signal: io.signal })
}

/** `sallyport doctor`. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check that a host is guarded, with a canary through the real client',
  usage: USAGE,
  async run(args, io) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        client: { type: 'string' },
        data: { type: 'string' },
        'no-canary': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    })
    onlyClaudeCode(positionals, 'doctor')
    const data = resolve(io.cwd, dataFolder(values.data, io.env, io.home))
    const client = await findClient(values.client, io.env)
    const settings = readSettings(io)
    const proxy = inspectProxy(io.env, settings.noProxy)
    const before: readonly Check[] = [
      clientCheck(client),
      ...settings.checks,
      proxy,
      ...rightsChecks(data, settings),
      ...ruleChecks(data),
      ...(await guardChecks(data, settings.ports, io.signal)),
    ]
    const canary = values['no-canary'] ? [] : [await canaryCheck(client, io, proxy.status === 'fail')]
    const checks = [...before, ...canary]
    const good = checks.every(({ status }) => status !== 'fail')
    if (values.json) io.out(JSON.stringify({ ok: good, checks }, null, 2))
    else io.out(`${shown(checks)}\n\n${good ? 'Claude Code is guarded here.' : 'Something has to be mended.'}`)
    return good ? 0 : 1
  },
}
