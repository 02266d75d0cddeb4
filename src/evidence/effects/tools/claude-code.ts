import { isObject } from '../../../protocol/json.ts'
import type { EffectKind } from '../../../protocol/evidence.ts'
import { namesSwitch } from '../guard/guard-rules.ts'
import { hostOf } from '../places/hosts.ts'
import { analysePowershell, analyseShell } from '../dispatch/analyse-code.ts'
import { emitList, emitRead, emitSearch, emitWrite } from './file-acts.ts'
import { isFileUrl, pathOfUrl } from './file-url.ts'
import { type ToolRow, type ToolUse, emitNothing } from './tool.ts'
import { words } from '../values/words.ts'

const read = (use: ToolUse, member: string): void => {
  const path = use.text(member)
  if (path !== undefined) emitRead(use, use.at(member), path)
}

const list = (use: ToolUse, member: string): void => emitList(use, use.at(member), use.text(member) ?? '.')

const write = (use: ToolUse, member: string, texts: readonly string[] | undefined, whole = false): void => {
  const path = use.text(member)
  if (path !== undefined) emitWrite(use, use.at(member), path, texts, whole)
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
  if (url !== undefined && isFileUrl(url)) emitRead(use, use.at('url'), pathOfUrl(url))
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

const emitResource = (use: ToolUse, kind: EffectKind, name: string, member: string): void =>
  use.engine.emit({ kind, by: use.tool.name, targets: [{ type: 'resource', name }] }, use.at(member))

/** Tools of Claude Code, one row each; MCP tools and tools not known here are read by their names. */
export const CLAUDE_CODE_TOOLS: readonly ToolRow[] = [
  {
    names: ['Bash', 'bash', 'Shell', 'shell', 'Monitor'],
    examples: [[{ command: 'rm -rf dist' }, 'fs.delete+recursive+force@workspace']],
    sideEffect: 'code_execution',
    needs: ['command'],
    remarks: ['description'],
    run: (use) => {
      const command = use.text('command')
      if (command !== undefined) analyseShell(command, '/input/command', use.engine)
    },
  },
  {
    names: ['PowerShell', 'powershell', 'pwsh'],
    examples: [[{ command: 'ri -r dist' }, 'fs.delete+recursive@workspace']],
    sideEffect: 'code_execution',
    needs: ['command'],
    remarks: ['description'],
    run: (use) => {
      const command = use.text('command')
      if (command !== undefined) analysePowershell(command, '/input/command', use.engine)
    },
  },
  {
    names: ['Read', 'NotebookRead'],
    examples: [
      [{ file_path: '.env' }, 'fs.read@dotenv', 'secret.read@dotenv'],
      [{ notebook_path: 'a.ipynb' }, 'fs.read@workspace'],
    ],
    sideEffect: 'read_only',
    run: (use) => read(use, use.text('file_path') === undefined ? 'notebook_path' : 'file_path'),
  },
  {
    names: ['Write'],
    examples: [[{ file_path: 'a.txt', content: 'x' }, 'fs.write@workspace']],
    sideEffect: 'local_write',
    needs: ['file_path', 'content'],
    run: (use) =>
      write(use, 'file_path', use.text('content') === undefined ? undefined : [use.text('content') ?? ''], true),
  },
  {
    names: ['Edit', 'MultiEdit'],
    examples: [[{ file_path: 'a.txt', old_string: 'x', new_string: 'y' }, 'fs.write@workspace']],
    sideEffect: 'local_write',
    needs: ['file_path'],
    run: (use) => write(use, 'file_path', edits(use)),
  },
  {
    names: ['NotebookEdit'],
    examples: [[{ notebook_path: 'a.ipynb', new_source: 'x' }, 'fs.write@workspace']],
    sideEffect: 'local_write',
    needs: ['notebook_path'],
    run: (use) =>
      write(use, 'notebook_path', use.text('new_source') === undefined ? undefined : [use.text('new_source') ?? '']),
  },
  {
    names: ['Glob', 'LS'],
    examples: [[{ path: 'src' }, 'fs.list@workspace']],
    sideEffect: 'read_only',
    run: (use) => list(use, 'path'),
  },
  {
    names: ['Grep'],
    examples: [[{ pattern: 'x', path: 'src' }, 'fs.list@workspace']],
    sideEffect: 'read_only',
    run: (use) => emitSearch(use, use.text('path') ?? '.', use.text('output_mode') === 'content'),
  },
  {
    names: ['WebFetch'],
    examples: [[{ url: 'https://e.example/a' }, 'net.fetch']],
    sideEffect: 'external_write',
    needs: ['url'],
    run: fetchUrl,
  },
  {
    names: ['WebSearch'],
    examples: [[{ query: 'a' }, 'net.fetch']],
    sideEffect: 'external_write',
    run: (use) => emitResource(use, 'net.fetch', 'web search', 'query'),
  },
  {
    names: ['Agent', 'Task'],
    examples: [[{ prompt: 'Look.', subagent_type: 'Explore' }, 'agent.start']],
    sideEffect: 'code_execution',
    run: agent,
  },
  {
    names: ['KillShell', 'KillBash', 'TaskStop'],
    examples: [[{ shell_id: 'a' }, 'process.kill']],
    sideEffect: 'local_write',
    run: (use) => emitResource(use, 'process.kill', use.text('shell_id') ?? use.text('task_id') ?? 'shell', 'shell_id'),
  },
  {
    names: ['Skill', 'SlashCommand'],
    examples: [
      [{ skill: 'a' }, 'tool.call'],
      [{ command: '/review 3' }, 'tool.call'],
    ],
    sideEffect: 'code_execution',
    run: (use) => emitResource(use, 'tool.call', use.text('skill') ?? use.text('command') ?? '', 'skill'),
  },
  {
    names: ['CronCreate', 'ScheduleWakeup', 'RemoteTrigger'],
    examples: [[{ cron: '0 9 * * *', prompt: 'Look.' }, 'persistence']],
    sideEffect: 'code_execution',
    run: (use) => emitResource(use, 'persistence', 'schedule', ''),
  },
  {
    names: ['Config', 'UpdateConfig'],
    examples: [[{ setting: 'theme', value: 'dark' }, 'service.change']],
    sideEffect: 'privileged',
    run: settings,
  },
  {
    names: ['SendMessage', 'SendUserMessage', 'PushNotification'],
    examples: [[{ to: 'a', message: 'Done.' }]],
    sideEffect: 'communication',
    run: emitNothing,
  },
  {
    names: ['EnterWorktree', 'ExitWorktree', 'CronDelete', 'TaskCreate', 'TaskUpdate', 'TodoWrite'],
    examples: [[{ name: 'a' }]],
    sideEffect: 'local_write',
    run: emitNothing,
  },
  {
    names: words(`BashOutput TaskOutput TaskGet TaskList TodoRead ExitPlanMode EnterPlanMode AskUserQuestion
      ToolSearch CronList ListMcpResourcesTool StructuredOutput`),
    examples: [[{ task_id: 'a' }]],
    sideEffect: 'read_only',
    run: emitNothing,
  },
  {
    names: ['LSP'],
    examples: [[{ operation: 'hover', filePath: 'src/a.ts' }, 'fs.read@workspace']],
    sideEffect: 'read_only',
    run: (use) => read(use, 'filePath'),
  },
  {
    names: ['ReadMcpResourceTool'],
    examples: [[{ server: 's', uri: 'file:///etc/passwd' }, 'tool.call', 'fs.read@system']],
    sideEffect: 'read_only',
    run: (use) => {
      const uri = use.text('uri') ?? ''
      use.engine.emit(
        { kind: 'tool.call', by: use.tool.name, targets: [{ type: 'resource', name: uri }] },
        use.at('uri'),
      )
      if (isFileUrl(uri) || uri.startsWith('/')) emitRead(use, use.at('uri'), pathOfUrl(uri))
    },
  },
]
