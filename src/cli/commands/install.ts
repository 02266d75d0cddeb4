import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { dataFiles, dataFolder } from '../../config/data-folder.ts'
import { configLocations } from '../../config/locations.ts'
import { SallyportError } from '../../errors.ts'
import { findClient } from '../../hosts/claude-code/setup/client.ts'
import type { FoundClient } from '../../hosts/claude-code/setup/client.ts'
import { hookForm } from '../../hosts/claude-code/setup/client-version.ts'
import type { HookForm } from '../../hosts/claude-code/setup/client-version.ts'
import { giveToOwnerOf, isHomeOfCaller, makeFolder } from '../../hosts/setup/ownership.ts'
import { settingsFileOf } from '../../hosts/claude-code/setup/places.ts'
import type { Scope } from '../../hosts/claude-code/setup/places.ts'
import { addHooks } from '../../hosts/claude-code/setup/settings-file.ts'
import { readText } from '../../hosts/setup/text-file.ts'
import { settingsText } from '../../hosts/claude-code/setup/settings-text.ts'
import { hookGroups } from '../../hosts/claude-code/setup/wiring.ts'
import type { Command } from '../io.ts'
import { programFile } from '../program-file.ts'
import { writtenConfig } from '../written-config.ts'

const USAGE = `Usage: sallyport install claude-code [--scope user|project|managed] [--data DIR] [--port N]
       sallyport install git [--json]

Writes the guard's hooks into the settings of Claude Code. Nothing else in the file is touched; a second run changes
nothing; \`sallyport uninstall\` gives back the file. The guard starts with the first session.

git: writes a pre-commit hook into the repository you are in (core.hooksPath counts) that refuses a commit which would
add a secret. A hook that is there already is kept and runs after it; \`git commit --no-verify\` goes round both.

  --scope S       user (default): every project of yours; project: this folder only (.claude/settings.local.json);
                  managed: everyone on this machine, and no repository can switch it off
                  (needs root: sudo --preserve-env=HOME)
  --data DIR      the guard's data folder (default: $SALLYPORT_DATA or ~/.local/share/sallyport)
  --port N        port of the guard (default: the one in the settings, else server.port of sallyport.yaml)
  --timeout N     seconds the client waits for the guard at every event (default: each event's own)
  --client FILE   the client, whose version decides the form of the hooks (default: $CLAUDE_BIN, or claude on the PATH)`

/** Where hooks go when the configuration says that any port will do: they need a fixed one. */
const DEFAULT_PORT = 4775

const wrong = (detail: string, command: string): SallyportError => new SallyportError('SP_USAGE', { detail, command })

/** The scope named on the command line. @throws SallyportError SP_USAGE */
export const scopeOf = (text: string, command: string): Scope => {
  if (text === 'user' || text === 'project' || text === 'managed') return text
  throw wrong(`--scope is user, project or managed, not "${text}".`, command)
}

/** Refuses every host but the one there is. @throws SallyportError SP_USAGE */
export const onlyClaudeCode = (positionals: readonly string[], command: string): void => {
  if (positionals.length !== 1 || positionals[0] !== 'claude-code')
    throw wrong(
      `\`sallyport ${command}\` takes one host: claude-code${command === 'doctor' ? '' : ' or git'}.`,
      command,
    )
}

const wholeNumber = (option: string, text: string | undefined, most: number): number | undefined => {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d{1,5}$/.test(text) && number >= 1 && number <= most) return number
  throw wrong(`${option} takes a whole number from 1 to ${most}, not "${text}".`, 'install')
}

/** The guard's bearer token; made when there is none yet. */
const tokenOf = (data: string, home: string): string => {
  const { token } = dataFiles(data)
  const kept = readText(token)?.trim()
  if (kept !== undefined && kept !== '') return kept
  makeFolder(home, data, 0o700)
  const made = randomBytes(32).toString('hex')
  writeFileSync(token, `${made}\n`, { mode: 0o600 })
  giveToOwnerOf(home, [token])
  return made
}

const FORMS: Readonly<Record<HookForm, string>> = {
  http: 'HTTP hooks that block when the guard does not answer, and a command that brings it up',
  command: 'a command for every event, because this client cannot make HTTP hooks block when the guard is down',
  shell: 'a command line for every event, because this client is too old for HTTP hooks that block',
}

const warnings = (client: FoundClient | undefined, scope: Scope, wasOff: boolean): readonly string[] => [
  ...(client?.version === undefined
    ? [
        `${client === undefined ? 'Claude Code was not found' : `${client.path} did not tell its version`}: the hooks ` +
          'are written for 2.1.295 or newer. With an older client they do NOT block when the guard is down; name the ' +
          'client with --client and install again.',
      ]
    : []),
  ...(wasOff ? ['All hooks were switched off in this file (disableAllHooks); they are on now.'] : []),
  ...(scope === 'project' ? ['The file holds the token of your guard: keep it out of version control.'] : []),
  ...(scope === 'managed' ? ['Everyone on this machine can read the file, and with it the token of the guard.'] : []),
]

/** `sallyport install`. */
export const install: Command = {
  name: 'install',
  summary: 'put the guard into a host',
  usage: USAGE,
  async run(args, io) {
    if (args.includes('git')) return (await import('../git-hook.ts')).installGit(args, io)
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        scope: { type: 'string', default: 'user' },
        data: { type: 'string' },
        port: { type: 'string' },
        timeout: { type: 'string' },
        client: { type: 'string' },
      },
    })
    onlyClaudeCode(positionals, 'install')
    const scope = scopeOf(values.scope, 'install')
    if (!isHomeOfCaller(io.home, io.env))
      throw wrong(
        `HOME is ${io.home}, which is not yours, and the guard would be: use \`sudo --preserve-env=HOME\`.`,
        'install',
      )
    const asked = wholeNumber('--port', values.port, 65_535)
    const timeout = wholeNumber('--timeout', values.timeout, 600)
    const path = settingsFileOf(scope, { ...io, platform: process.platform })
    const settings = settingsText(path, readText(path))
    const data = resolve(io.cwd, dataFolder(values.data, io.env, io.home))
    const port = asked ?? settings.port ?? (writtenConfig(io).server.port || DEFAULT_PORT)
    const client = await findClient(values.client, io.env)
    const form = hookForm(client?.version)
    const groups = hookGroups({
      form,
      port,
      token: tokenOf(data, io.home),
      data,
      node: process.execPath,
      entry: programFile('../hook-entry'),
      serve: programFile('main'),
      home: io.home,
      configHome: configLocations(io.env, io.home, process.platform).user,
      ...(timeout === undefined ? {} : { timeout }),
    })
    const wasOff = settings.member('disableAllHooks') === true
    const change = addHooks({ scope, path, data, home: io.home }, groups)
    for (const warning of warnings(client, scope, wasOff)) io.err(`warning: ${warning}`)
    if (change === 'unchanged') io.out(`${path} has the guard's hooks already; nothing was changed.`)
    else
      io.out(
        [
          `${path}: ${groups.size} events now go through the guard (${FORMS[form]}).`,
          `The guard listens on 127.0.0.1:${port}, keeps everything in ${data}, and starts with the next session.`,
          'Next: `sallyport doctor claude-code` proves with a harmless canary that a refusal holds.',
        ].join('\n'),
      )
    return 0
  },
}
