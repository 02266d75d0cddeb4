import type { EffectKind, Target } from '../../../protocol/evidence.ts'
import { readCode } from '../code/read-code.ts'
import type { Call, CommandRow, Details, FileUse, Language, RunChange } from '../commands/command.ts'
import type { Place } from '../engine.ts'
import { type HostTarget, hostOf, isUrl } from '../hosts.ts'
import type { PathTarget, PathUse } from '../paths.ts'
import { readCmd } from '../powershell/read-cmd.ts'
import { readPowershell } from '../powershell/read-powershell.ts'
import { EMPTY, NO_FLOW, type Value, isKnown, known, mergeFlow, unknown, withFlow } from '../value.ts'
import { type Field, literal, textOf, visible } from './field.ts'
import { pathTargets, readFiles, sendData, whenEmpty, writeFiles, writtenAt } from './files.ts'
import { type Frame, type ProgramRun, isTooDeep } from './frame.ts'
import { parseOptions } from './options.ts'
import { followModules } from './modules.ts'
import { frameOfFile, kindOf, tellCutShort, tellNotRead, tellUnread, textOnDisk } from './script-file.ts'
import { fork, moveTo } from './state.ts'

/** A call with what it has read so far, which is what it may print. */
export interface OpenCall {
  readonly call: Call
  /** What the program prints when its row does not say. */
  readonly printed: () => Value
}

const placed = (place: Place, details: Details | undefined): Place =>
  details?.possible === true ? { ...place, possible: true } : place

/** Says what running unknown or known text as code means by where it came from. */
const tellOrigin = (frame: Frame, place: Place, by: string, text: Value): void => {
  const target: Target[] = [{ type: 'command', name: by }]
  if (text.flow.network) frame.engine.emit({ kind: 'exec.remote', by, targets: target }, place)
  if (text.flow.decoded) frame.engine.emit({ kind: 'exec.decoded', by, targets: target }, place)
  const plain = !text.flow.network && !text.flow.decoded && !text.flow.settings
  if (isKnown(text) || !plain) return
  const hidden: Target[] = [{ type: 'unknown', raw: 'code' }]
  frame.engine.emit({ kind: 'exec.run', by, targets: hidden }, place)
  frame.engine.emit({ kind: 'unresolved', by, targets: hidden }, place)
}

const innerFrame = (frame: Frame, place: Place, change: RunChange): Frame => {
  const state = change.forked === true || change.stdin !== undefined || change.cwds ? fork(frame.state) : frame.state
  if (change.stdin !== undefined) state.stdin = change.stdin
  if (change.positional !== undefined) {
    state.positional = change.positional
    state.mayHaveMore = change.mayHaveMore === true
  }
  if (change.cwds !== undefined) moveTo(state, change.cwds)
  if (change.forked === true) for (const [name, value] of change.environment ?? []) state.vars.set(name, value)
  return {
    ...frame,
    state,
    ...(place.span ? { span: place.span } : {}),
    ...(change.container === undefined ? {} : { container: change.container }),
    possible: frame.possible || change.possible === true,
    depth: frame.depth + 1,
    feeds: undefined,
  }
}

const runShell = (frame: Frame, place: Place, by: string, text: Value, change: RunChange): Value => {
  tellOrigin(frame, place, by, text)
  const inner = innerFrame(frame, place, change)
  let printed: Value = EMPTY
  for (const one of text.texts)
    printed = frame.runner.text(one, text.texts.length > 1 ? { ...inner, possible: true } : inner)
  return isKnown(text) ? printed : unknown(text.flow)
}

const runCode = (frame: Frame, place: Place, by: string, language: Language, text: Value): Value => {
  tellOrigin(frame, place, by, text)
  let printed: Value = unknown()
  for (const one of text.texts) {
    if (isTooDeep(frame, by, place) || !frame.engine.spendText(one)) break
    printed = readCode(language, one, { frame: innerFrame(frame, place, { forked: true }), place, by })
    followModules(frame, place, by, language, one)
  }
  return printed
}

/** A program that is given by its address, as deno and npx take it: fetched and run in one go. */
const runAddress = (frame: Frame, place: Place, by: string, field: Field): Value => {
  const host = hostOf(visible(field))
  if (host !== undefined) frame.engine.emit({ kind: 'net.fetch', by, targets: [host] }, place)
  return runCode(frame, place, by, 'javascript', withFlow(unknown(field.flow), { network: true }))
}

const runWindows = (frame: Frame, place: Place, by: string, dialect: 'powershell' | 'cmd', text: Value): Value => {
  tellOrigin(frame, place, by, text)
  const inner = innerFrame(frame, place, { forked: true })
  if (isTooDeep(inner, by, place)) return unknown(text.flow)
  let printed: Value = unknown(text.flow)
  const read = dialect === 'cmd' ? readCmd : readPowershell
  for (const one of text.texts) printed = read(one, inner, place, by)
  return printed
}

const removeFiles = (frame: Frame, place: Place, by: string, fields: readonly Field[], details?: Details): void => {
  const targets = pathTargets(frame, fields, 'entry')
  const traits = [...(details?.traits ?? [])]
  const globbed = fields.some((field) => field.glob) ? [...traits, 'glob' as const] : traits
  const at = placed(place, details)
  if (targets.length > 0) frame.engine.emit({ kind: 'fs.delete', by, targets, traits: globbed }, at)
  const empty = fields.flatMap((field) => whenEmpty(field) ?? [])
  if (empty.length === 0) return
  const emptied = pathTargets(frame, empty, 'entry')
  frame.engine.emit(
    { kind: 'fs.delete', by, targets: emptied, traits: [...globbed, 'maybe-empty'], possible: true },
    at,
  )
}

/** Runs files that were there before the call, as they are now. */
const runOnDisk = (
  frame: Frame,
  place: Place,
  by: string,
  files: readonly PathTarget[],
  as: FileUse,
  rest: readonly Field[],
): Value => {
  for (const file of files) {
    const text = textOnDisk(frame, file, { by, place })
    if (text === undefined && (as === 'shell' || as === 'here')) tellNotRead(frame, file, { by, place })
    if (text === undefined) continue
    const kind = as === 'unknown' ? kindOf(file.path, text) : as === 'here' ? 'shell' : as
    const [inner, at] = [frameOfFile(frame, file.path), { ...place, onDisk: true }]
    const names = ['0', 'BASH_SOURCE', 'BASH_SOURCE[0]'].map((name) => [name, known(file.path)] as const)
    const change = { forked: as !== 'here', positional: rest, mayHaveMore: true, environment: new Map(names) }
    const isShell = kind === 'shell' || kind === 'powershell' || kind === 'cmd'
    const short = (): void => (isShell ? tellCutShort : tellUnread)(frame.engine, file, { by, place })
    frame.engine.lend(() => {
      if (kind === 'shell') runShell(inner, at, by, known(text), change)
      else if (kind === 'powershell' || kind === 'cmd') runWindows(inner, at, by, kind, known(text))
      else if (kind !== undefined) runCode({ ...inner, file: file.path }, at, by, kind, known(text))
    }, short)
  }
  return unknown()
}

const SEARCH_VARIABLES = ['PYTHONPATH', 'PERL5LIB', 'RUBYLIB']

/** Folders in which a program looks for modules, by the variables it gets. */
const searchPath = (frame: Frame, { environment }: ProgramRun): readonly string[] =>
  SEARCH_VARIABLES.flatMap((name) => {
    const value = environment.get(name) ?? frame.state.vars.get(name)
    const folders = (value?.texts[0] ?? '').split(':').filter(Boolean)
    return pathTargets(frame, folders.map(literal), 'content').map(({ path }) => path)
  })

/** Exported variables that are handed to a program for one unit of work. */
const EXPORTED = 64

/** Makes the call that a row of the command table works on. */
export const createCall = (
  name: string,
  args: readonly Field[],
  row: CommandRow,
  frame: Frame,
  run: ProgramRun,
): OpenCall => {
  const { engine, state } = frame
  const { place } = run
  let seen = state.stdin?.flow ?? NO_FLOW
  const searching = { ...frame, search: searchPath(frame, run) }
  const call: Call = {
    name,
    args,
    options: parseOptions(args, row),
    stdin: state.stdin,
    state,
    engine,
    get environment() {
      engine.spend(Math.floor(state.exported.size / EXPORTED))
      return new Map([
        ...[...state.exported].map((key) => [key, state.vars.get(key) ?? unknown()] as const),
        ...run.environment,
      ])
    },
    network: run.network,
    feeds: frame.feeds,
    container: frame.container,
    emit: (kind: EffectKind, targets = [], details?: Details) =>
      engine.emit({ kind, by: name, targets, ...details }, place),
    paths: (fields: readonly Field[], use: PathUse) => pathTargets(frame, fields, use),
    read: (fields, details) => {
      const content = readFiles(frame, placed(place, details), name, fields, details?.traits)
      seen = mergeFlow(seen, content.flow)
      return content
    },
    write: (fields, content, details) =>
      writeFiles(
        frame,
        placed(place, details),
        name,
        fields,
        content ?? unknown(),
        details?.traits?.includes('append'),
      ),
    remove: (fields, details) => removeFiles(frame, place, name, fields, details),
    send: (hosts, data, details) => sendData(frame, placed(place, details), name, hosts, data),
    hosts: (fields) =>
      fields.flatMap((field): readonly HostTarget[] => {
        if (isKnown(field)) return field.texts.flatMap((text) => hostOf(text) ?? [])
        return hostOf(field.prefix) !== undefined && /:\/\/[^/]+\//.test(field.prefix)
          ? [hostOf(field.prefix)].filter((one) => one !== undefined)
          : [{ type: 'host', host: 'unresolved' }]
      }),
    run: (argv, change = {}) =>
      frame.runner.argv(argv, innerFrame(frame, place, change), {
        place: change.possible === true ? { ...place, possible: true } : place,
        environment: new Map([...run.environment, ...(change.environment ?? [])]),
        network: run.network,
      }),
    shell: (text, change = {}) => runShell(frame, place, name, text, change),
    code: (language, text) => runCode({ ...searching, file: undefined }, place, name, language, text),
    windows: (dialect, text) => runWindows(frame, place, name, dialect, text),
    runFile: (field, as, rest) => {
      // No shell and no other interpreter fetches what it is to run.
      if (as === 'javascript' && /^https?:/i.test(visible(field)) && isUrl(visible(field)))
        return runAddress(frame, place, name, field)
      const file = pathTargets(frame, [field], 'content')
      const content = file.map((target) => writtenAt(frame, target.path)).find((one) => one !== undefined)
      const origin = content ?? (field.flow.network || field.flow.decoded ? unknown(field.flow) : undefined)
      if (file.length > 0) engine.emit({ kind: 'exec.run', by: name, targets: file, traits: ['script'] }, place)
      if (origin === undefined) return runOnDisk(searching, place, name, file, as, rest)
      if (as === 'shell' || as === 'here' || (as === 'unknown' && !isOtherScript(origin)))
        return runShell(frame, place, name, origin, { forked: as !== 'here', positional: rest })
      const language = as === 'unknown' ? languageOf(origin) : as
      return runCode({ ...searching, file: file[0]?.path }, place, name, language, origin)
    },
    runFileCode: (path, part, cwd, rest, pick) => {
      const [file] = pathTargets(frame, [literal(path)], 'content')
      if (file === undefined) return
      const written = writtenAt(frame, file.path)
      if (written !== undefined)
        for (const code of isKnown(written) ? written.texts.flatMap((text) => pick(text)) : [])
          runShell(frame, place, name, known(code, written.flow), { forked: true, cwds: [cwd], positional: rest })
      const text = written === undefined ? textOnDisk(frame, file, { by: name, place }, part) : undefined
      if (text === undefined) return
      const [inner, at] = [frameOfFile(frame, file.path, part), { ...place, onDisk: true }]
      engine.lend(
        () => {
          for (const code of pick(text))
            runShell(inner, at, name, known(code), { forked: true, cwds: [cwd], positional: rest, mayHaveMore: true })
        },
        () => tellCutShort(engine, file, { by: name, place }),
      )
    },
    unresolved: (raw) => engine.emit({ kind: 'unresolved', by: name, targets: [{ type: 'unknown', raw }] }, place),
  }
  return { call, printed: () => withFlow(unknown(seen), { local: true }) }
}

const SHEBANG = /^#!\s*\S*?(python|node|perl|ruby|php|bun|deno)/

const isOtherScript = (content: Value): boolean => SHEBANG.test(textOf(content) ?? '')

const languageOf = (content: Value): Language => {
  const found = SHEBANG.exec(textOf(content) ?? '')?.[1]
  return found === 'python' || found === 'perl' || found === 'ruby' || found === 'php' ? found : 'javascript'
}
