import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { dataFolder } from '../../config/data-folder.ts'
import { settingsFileOf } from '../../hosts/claude-code/setup/places.ts'
import { removeHooks } from '../../hosts/claude-code/setup/settings-file.ts'
import type { Command } from '../io.ts'
import { onlyClaudeCode, scopeOf } from './install.ts'

const USAGE = `Usage: sallyport uninstall claude-code [--scope user|project|managed] [--data DIR]
       sallyport uninstall git [--json]

Takes the guard's hooks out of the settings of Claude Code. Where nobody else wrote to the file since, it is again what
it was before, to the byte. A guard that runs goes on running; the trace stays. git: takes
the pre-commit hook out and gives back the one from before.

  --scope S   the scope it was installed with (default: user)
  --data DIR  the guard's data folder (default: $SALLYPORT_DATA or ~/.local/share/sallyport)`

/** `sallyport uninstall`. */
export const uninstall: Command = {
  name: 'uninstall',
  summary: 'take it out again',
  usage: USAGE,
  async run(args, io) {
    if (args.includes('git')) return (await import('../git-hook.ts')).uninstallGit(args, io)
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { scope: { type: 'string', default: 'user' }, data: { type: 'string' } },
    })
    onlyClaudeCode(positionals, 'uninstall')
    const scope = scopeOf(values.scope, 'uninstall')
    const path = settingsFileOf(scope, { ...io, platform: process.platform })
    const data = resolve(io.cwd, dataFolder(values.data, io.env, io.home))
    const change = removeHooks({ scope, path, data, home: io.home })
    io.out(
      {
        unchanged: `${path} holds no hooks of the guard; nothing was changed.`,
        written: `${path}: the guard's hooks are gone. Sessions started from here on are NOT guarded.`,
        removed: `${path} was made by the installation and is gone. Sessions started from here on are NOT guarded.`,
      }[change],
    )
    return 0
  },
}
