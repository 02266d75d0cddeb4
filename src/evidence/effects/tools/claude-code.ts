import { isObject } from '../../../protocol/json.ts'
import type { EffectTrait } from '../../../protocol/evidence.ts'
import { isGuardSecret, namesSwitch } from '../guard-rules.ts'
import { hostOf } from '../hosts.ts'
import { isScriptFile } from '../sensitive-paths.ts'
import { analyseLater, analysePowershell, analyseShell } from '../shell/analyse-shell.ts'
import { tellWritten } from '../shell/files.ts'
import type { ToolRow, ToolUse } from './tool.ts'

const expandHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? home + path.slice(1) : path

const read = (use: ToolUse, member: string): void => {
  const path = use.text(member)
  if (path === undefined) return
  const { paths } = use.engine
  const target = paths.resolve(expandHome(path, paths.home), paths.cwd, 'content')
  const by = use.tool.name
  use.engine.emit({ kind: 'fs.read', by, targets: [target] }, use.at(member))
  if (target.zone === 'credential' || target.zone === 'dotenv' || isGuardSecret(target))
    use.engine.emit({ kind: 'secret.read', by, targets: [target] }, use.at(member))
}

const list = (use: ToolUse, member: string): void => {
  const { paths } = use.engine
  const target = paths.resolve(expandHome(use.text(member) ?? '.', paths.home), paths.cwd, 'content')
  use.engine.emit({ kind: 'fs.list', by: use.tool.name, targets: [target] }, use.at(member))
}

/** A search that shows lines of a file reads it. */
const search = (use: ToolUse): void => {
  const { paths } = use.engine
  const path = expandHome(use.text('path') ?? '.', paths.home)
  const isFile = paths.world.pathKind(paths.resolve(path, paths.cwd, 'content').path) === 'file'
  const zone = paths.resolve(path, paths.cwd, 'content').zone
  if (isFile || zone === 'credential' || zone === 'dotenv') read(use, 'path')
  else list(use, 'path')
  const glob = use.text('glob')
  if (glob !== undefined && use.text('output_mode') === 'content') {
    const target = paths.resolve(`${path}/${glob}`, paths.cwd, 'content')
    if (target.zone === 'credential' || target.zone === 'dotenv')
      for (const kind of ['fs.read', 'secret.read'] as const)
        use.engine.emit({ kind, by: use.tool.name, targets: [target] }, use.at('glob'))
  }
}

const write = (use: ToolUse, member: string, texts: readonly string[] | undefined): void => {
  const path = use.text(member)
  if (path === undefined) return
  const { paths } = use.engine
  const target = paths.resolve(expandHome(path, paths.home), paths.cwd, 'content')
  const place = use.at(member)
  const traits: EffectTrait[] = isScriptFile(target.path) ? ['script'] : []
  use.engine.emit(
    { kind: target.zone === 'device' ? 'device.write' : 'fs.write', by: use.tool.name, targets: [target], traits },
    place,
  )
  const written = { texts: texts ?? [], unseen: texts === undefined }
  tellWritten(use.engine, place, use.tool.name, [target], written, (code) => analyseLater(code, place, use.engine))
}

const editTexts = (edit: unknown): readonly string[] | undefined => {
  if (!isObject(edit)) return undefined
  const { old_string: before, new_string: after } = edit
  return typeof before === 'string' && typeof after === 'string' ? [before, after] : undefined
}

const edits = (use: ToolUse): readonly string[] | undefined => {
  const given = use.input['edits']
  if (!Array.isArray(given)) return editTexts(use.input)
  const all = given.map(editTexts)
  return all.every((one) => one !== undefined) ? all.flat() : undefined
}

const fetchUrl = (use: ToolUse): void => {
  const url = use.text('url')
  const host = url === undefined ? undefined : hostOf(url)
  use.engine.emit(
    { kind: 'net.fetch', by: use.tool.name, targets: host ? [host] : [{ type: 'unknown', raw: url ?? '' }] },
    use.at('url'),
  )
}

const agent = (use: ToolUse): void => {
  const type = use.text('subagent_type') ?? 'general-purpose'
  use.engine.emit(
    { kind: 'agent.start', by: use.tool.name, targets: [{ type: 'resource', name: type }] },
    use.at('subagent_type'),
  )
}

const settings = (use: ToolUse): void => {
  const text = JSON.stringify(use.input)
  use.engine.emit(
    { kind: 'service.change', by: use.tool.name, targets: [{ type: 'resource', name: use.tool.name }] },
    use.at(''),
  )
  if (namesSwitch(text)) use.engine.emit({ kind: 'guard.tamper', by: use.tool.name }, use.at(''))
}

const nothing = (): void => undefined

/** Tools of Claude Code, one row each; MCP tools and tools not known here are read by their names. */
export const CLAUDE_CODE_TOOLS: readonly ToolRow[] = [
  {
    names: ['Bash', 'bash', 'Shell', 'shell', 'Monitor'],
    sideEffect: 'code_execution',
    remarks: ['description'],
    run: (use) => {
      const command = use.text('command')
      if (command !== undefined) return analyseShell(command, '/input/command', use.engine)
      use.engine.emit(
        { kind: 'unresolved', by: use.tool.name, targets: [{ type: 'unknown', raw: 'command' }] },
        use.at('command'),
      )
    },
  },
  {
    names: ['PowerShell', 'powershell', 'pwsh'],
    sideEffect: 'code_execution',
    remarks: ['description'],
    run: (use) => {
      const command = use.text('command')
      if (command !== undefined) return analysePowershell(command, '/input/command', use.engine)
      use.engine.emit(
        { kind: 'unresolved', by: use.tool.name, targets: [{ type: 'unknown', raw: 'command' }] },
        use.at('command'),
      )
    },
  },
  {
    names: ['Read', 'NotebookRead'],
    sideEffect: 'read_only',
    run: (use) => read(use, use.text('file_path') === undefined ? 'notebook_path' : 'file_path'),
  },
  {
    names: ['Write'],
    sideEffect: 'local_write',
    run: (use) => write(use, 'file_path', use.text('content') === undefined ? undefined : [use.text('content') ?? '']),
  },
  { names: ['Edit', 'MultiEdit'], sideEffect: 'local_write', run: (use) => write(use, 'file_path', edits(use)) },
  {
    names: ['NotebookEdit'],
    sideEffect: 'local_write',
    run: (use) =>
      write(use, 'notebook_path', use.text('new_source') === undefined ? undefined : [use.text('new_source') ?? '']),
  },
  { names: ['Glob', 'LS'], sideEffect: 'read_only', run: (use) => list(use, 'path') },
  { names: ['Grep'], sideEffect: 'read_only', run: search },
  { names: ['WebFetch'], sideEffect: 'external_write', run: fetchUrl },
  {
    names: ['WebSearch'],
    sideEffect: 'external_write',
    run: (use) =>
      use.engine.emit(
        { kind: 'net.fetch', by: use.tool.name, targets: [{ type: 'resource', name: 'web search' }] },
        use.at('query'),
      ),
  },
  { names: ['Agent', 'Task'], sideEffect: 'code_execution', run: agent },
  {
    names: ['KillShell', 'KillBash', 'TaskStop'],
    sideEffect: 'local_write',
    run: (use) =>
      use.engine.emit(
        {
          kind: 'process.kill',
          by: use.tool.name,
          targets: [{ type: 'resource', name: use.text('shell_id') ?? use.text('task_id') ?? 'shell' }],
        },
        use.at('shell_id'),
      ),
  },
  {
    names: ['Skill', 'SlashCommand'],
    sideEffect: 'code_execution',
    run: (use) =>
      use.engine.emit(
        {
          kind: 'tool.call',
          by: use.tool.name,
          targets: [{ type: 'resource', name: use.text('skill') ?? use.text('command') ?? '' }],
        },
        use.at('skill'),
      ),
  },
  {
    names: ['CronCreate', 'ScheduleWakeup', 'RemoteTrigger'],
    sideEffect: 'code_execution',
    run: (use) =>
      use.engine.emit(
        { kind: 'persistence', by: use.tool.name, targets: [{ type: 'resource', name: 'schedule' }] },
        use.at(''),
      ),
  },
  { names: ['Config', 'UpdateConfig'], sideEffect: 'privileged', run: settings },
  { names: ['SendMessage', 'SendUserMessage', 'PushNotification'], sideEffect: 'communication', run: nothing },
  {
    names: ['EnterWorktree', 'ExitWorktree', 'CronDelete', 'TaskCreate', 'TaskUpdate', 'TodoWrite'],
    sideEffect: 'local_write',
    run: nothing,
  },
  {
    names: [
      'BashOutput',
      'TaskOutput',
      'TaskGet',
      'TaskList',
      'TodoRead',
      'ExitPlanMode',
      'EnterPlanMode',
      'AskUserQuestion',
      'ToolSearch',
      'CronList',
      'ListMcpResourcesTool',
      'LSP',
      'StructuredOutput',
    ],
    sideEffect: 'read_only',
    run: nothing,
  },
  {
    names: ['ReadMcpResourceTool'],
    sideEffect: 'read_only',
    run: (use) =>
      use.engine.emit(
        { kind: 'tool.call', by: use.tool.name, targets: [{ type: 'resource', name: use.text('uri') ?? '' }] },
        use.at('uri'),
      ),
  },
]
