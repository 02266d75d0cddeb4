import { hostOf } from '../places/hosts.ts'
import { NO_FLOW, type Value, mergeFlow, unknown } from '../values/value.ts'
import type { PsContext } from './context.ts'
import { windowsPath } from './windows-path.ts'

/** Methods that only look at values or make new ones. */
const SAFE =
  /^(?:tostring|split|replace|trim|trimstart|trimend|substring|contains|startswith|endswith|toupper|tolower|join|format|indexof|lastindexof|padleft|padright|gettype|equals|compareto|adddays|addhours|addminutes|addseconds|tolocaltime|touniversaltime|round|floor|ceiling|max|min|abs|pow|sqrt|parse|tryparse|isnullorempty|isnullorwhitespace|combine|getfilename|getextension|getdirectoryname|getfullpath|gettemppath|getfolderpath|exists|newguid|now|match|matches|ismatch|escape|getbytes|getstring|tobase64string|count|add|remove|clear|where|foreach|sum|reverse|sort|new|getenumerator|tochararray|writeline|write|createdirectory|getfiles|getdirectories)$/i

interface Member {
  readonly match: RegExp
  readonly does: (context: PsContext, first: string, second: string) => Value['flow'] | void
}

const hostsOf = (url: string) => [hostOf(url) ?? { type: 'host' as const, host: 'unresolved' }]
const network = { ...NO_FLOW, network: true }

const paths =
  (kind: 'fs.delete' | 'fs.write' | 'fs.read', traits: readonly ('recursive' | 'append')[] = []) =>
  ({ engine, place, by }: PsContext, first: string): void => {
    const target = windowsPath(first === '' ? '$unknown' : first, engine, kind === 'fs.delete' ? 'entry' : 'content')
    engine.emit({ kind, by, targets: [target], traits }, place)
    if (kind === 'fs.read' && (target.zone === 'credential' || target.zone === 'dotenv'))
      engine.emit({ kind: 'secret.read', by, targets: [target] }, place)
  }

/** Members of .NET types that rules ask for. */
const MEMBERS: readonly Member[] = [
  {
    match: /\.(?:download(?:string|data)|openread|getstringasync|getasync)(?:async|taskasync)?$/i,
    does: ({ engine, place, by }, url) => {
      engine.emit({ kind: 'net.fetch', by, targets: hostsOf(url) }, place)
      return network
    },
  },
  {
    match: /\.downloadfile(?:async|taskasync)?$/i,
    does: ({ engine, place, by }, url, into) => {
      engine.emit({ kind: 'net.fetch', by, targets: hostsOf(url) }, place)
      const target = windowsPath(into === '' ? '$unknown' : into, engine, 'content')
      engine.emit({ kind: 'fs.write', by, targets: [target], traits: ['from-network'] }, place)
    },
  },
  {
    match: /\.(?:upload(?:string|data|file|values)|postasync|putasync)(?:async|taskasync)?$/i,
    does: ({ engine, place, by }, url) => engine.emit({ kind: 'net.send', by, targets: hostsOf(url) }, place),
  },
  { match: /frombase64string$/i, does: () => ({ ...NO_FLOW, decoded: true }) },
  { match: /(?:io\.)?directory\]::delete$/i, does: paths('fs.delete', ['recursive']) },
  { match: /(?:io\.)?file\]::delete$/i, does: paths('fs.delete') },
  { match: /file\]::(?:writeall\w+|create|move|copy|openwrite)$/i, does: paths('fs.write') },
  { match: /file\]::appendall\w+$/i, does: paths('fs.write', ['append']) },
  { match: /file\]::(?:readall\w+|openread|opentext|readlines)$/i, does: paths('fs.read') },
  {
    match: /process\]::start$/i,
    does: (context, program) => void (program === '' ? context.hidden('Process.Start') : context.program(program, [])),
  },
  { match: /scriptblock\]::create$/i, does: (context, code) => void context.code(code) },
]

const CALL = /((?:\[[\w.]+\]::|\.)\w+)\s*\(\s*(?:'([^']*)'|"([^"]*)"|([^,()]*))(?:\s*,\s*(?:'([^']*)'|"([^"]*)"))?/g

/** Reads the calls of .NET members in a statement; one that is not known may do anything. */
export const readMembers = (raw: string, context: PsContext): Value => {
  let flow = NO_FLOW
  if (/net\.sockets\.(?:tcp|udp)client/i.test(raw)) {
    context.engine.emit({ kind: 'net.send', by: context.by }, context.place)
    if (/\b(?:iex|invoke-expression|cmd|powershell)\b/i.test(context.whole))
      context.engine.emit({ kind: 'exec.shell-bridge', by: context.by }, context.place)
  }
  for (const match of raw.matchAll(CALL)) {
    const [, member = '', single, double, bare, second, third] = match
    const row = MEMBERS.find((one) => one.match.test(member))
    const literal = single ?? double ?? (bare?.includes('$') ? '' : (bare ?? ''))
    if (row !== undefined) flow = mergeFlow(flow, row.does(context, literal, second ?? third ?? '') ?? NO_FLOW)
  }
  const bare = raw.replace(/'[^']*'|"[^"]*"/g, "''")
  for (const [, name = ''] of bare.matchAll(/(?:::|\.)([A-Za-z]\w*)\s*\(/g))
    if (
      !SAFE.test(name) &&
      !MEMBERS.some(
        (row) =>
          row.match.test(`.${name}`) ||
          row.match.test(`file]::${name}`) ||
          row.match.test(`process]::${name}`) ||
          row.match.test(`scriptblock]::${name}`),
      )
    )
      context.hidden(name)
  return unknown(flow)
}
