import type { Target } from '../../../protocol/evidence.ts'
import type { Language } from '../commands/command.ts'
import type { Place } from '../engine.ts'
import { type HostTarget, hostOf, isUrl } from '../hosts.ts'
import { type Field, fieldOf } from '../shell/field.ts'
import { pathTargets, readFiles, sendData, writeFiles } from '../shell/files.ts'
import type { Frame } from '../shell/frame.ts'
import { EMPTY, NO_FLOW, type Value, isKnown, mergeFlow, oneOf, unknown, withFlow } from '../value.ts'
import { type Act, CALLS, type CallRow } from './calls.ts'
import { type Result, type Scope, closing, cut, dottedAt, evaluate } from './expression.ts'
import { bindImports } from './imports.ts'
import { type Token, tokenize } from './tokens.ts'

/** Where inline code runs. */
export interface CodeContext {
  readonly frame: Frame
  readonly place: Place
  readonly by: string
}

const FORK_BOMB = /fork\s+while\s+(?:fork|1|true)|while\s*(?:\(?\s*(?:True|1|true)\s*\)?)\s*[:{][^}]{0,80}\bfork\s*\(?/
const DUP =
  /\bdup2\s*\(|STDIN->fdopen|pty\.spawn|open\(STDIN,\s*"[<>]&|\.pipe\((?:sh|cp|p|child)\.stdin|exec\s*\(?\s*["']\/bin\/(?:ba)?sh\s+-i|exec\s+sprintf|spawn\(["'](?:\/bin\/)?(?:ba|z)?sh["']/

interface Reading extends CodeContext {
  readonly language: Language
  readonly scope: Scope
  /** Secrets and other things read so far. */
  readonly seen: { flow: Value['flow']; connects: boolean }
}

const toField = (result: Result | undefined): Field => {
  const value = result?.value ?? unknown()
  return fieldOf(value, isKnown(value) ? (value.texts[0] ?? '') : '')
}

const hostsOf = (result: Result | undefined): readonly HostTarget[] => {
  const pair = result?.items
  if (pair && pair.length >= 2) {
    const [host, port] = [pair[0]?.value.texts[0], pair[1]?.value.texts[0]]
    return host === undefined ? [] : [hostOf(`${host}:${port ?? ''}`) ?? { type: 'host', host }]
  }
  const value = result?.value
  if (value === undefined) return []
  if (!isKnown(value)) {
    const host = isUrl(value.prefix) ? hostOf(value.prefix) : undefined
    return [host ?? { type: 'host', host: 'unresolved' }]
  }
  return value.texts.flatMap((text) => hostOf(text) ?? [])
}

const runList = (reading: Reading, args: readonly Result[]): void => {
  const { frame, place, by } = reading
  const first = args[0]
  const list = first?.items
  const run = { place, environment: new Map<string, Value>(), network: false }
  if (list !== undefined) {
    frame.runner.argv(list.map(toField), frame, run)
    return
  }
  const rest = args[1]?.items
  const text = first?.value ?? unknown()
  const separate =
    rest ?? (args.length > 1 && args.slice(1).every((arg) => isKnown(arg.value)) ? args.slice(1) : undefined)
  const whole = isKnown(text) && /\s/.test(text.texts[0] ?? '')
  if (separate !== undefined && !whole && separate.length > 0) {
    const shown = /^(?:execlp?e?|spawnlp?e?|execvp?e?)$/.test(by) ? separate.slice(1) : separate
    frame.runner.argv([toField(first), ...shown.map(toField)], frame, run)
    return
  }
  runShellText(reading, text)
}

const runShellText = ({ frame, place, by }: Reading, text: Value): void => {
  if (text.flow.network) frame.engine.emit({ kind: 'exec.remote', by }, place)
  if (text.flow.decoded) frame.engine.emit({ kind: 'exec.decoded', by }, place)
  for (const one of text.texts) frame.runner.text(one, frame)
  if (isKnown(text)) return
  const target: Target = { type: 'unknown', raw: 'command' }
  const known = text.prefix.trim() === '' ? undefined : text.prefix
  if (known !== undefined) frame.runner.text(`${known}"$SALLYPORT_UNKNOWN"`, frame)
  else frame.engine.emit({ kind: 'exec.run', by, targets: [target] }, place)
  frame.engine.emit({ kind: 'unresolved', by, targets: [target] }, place)
}

const openMode = (args: readonly Result[], language: Language): 'read' | 'write' | 'append' => {
  const modes = args.slice(1).flatMap((arg) => arg.value.texts)
  const mode =
    modes.find((text) => /^[rwaxbt+]{1,4}$|^(?:>>?|<|\+<)/.test(text)) ??
    (language === 'perl' ? (args.at(-1)?.value.texts[0] ?? '') : 'r')
  if (/^\s*>>|^a/.test(mode)) return 'append'
  return /[wx+>]/.test(mode) ? 'write' : 'read'
}

const isNetworkText = (result: Result | undefined): boolean =>
  isUrl(result?.value.texts[0] ?? result?.value.prefix ?? '')

const request = (
  reading: Reading,
  dotted: string,
  args: readonly Result[],
  argumentTokens: readonly (readonly Token[])[],
): void => {
  const { frame, place, by, seen } = reading
  const urls =
    dotted === 'file_get_contents' && !isNetworkText(args[0]) ? [] : hostsOf(args.find(isNetworkText) ?? args[0])
  if (urls.length === 0) {
    if (dotted === 'file_get_contents')
      seen.flow = mergeFlow(seen.flow, readFiles(frame, place, by, [toField(args[0])]).flow)
    return
  }
  const flow = args.reduce((all, arg) => mergeFlow(all, arg.value.flow), NO_FLOW)
  const words = argumentTokens.flat().map((token) => token.text)
  const body = words.some((word) => /^(?:data|body|json|files|method|params|POST|PUT|PATCH)$/.test(word))
  if (body || flow.secrets.length > 0 || flow.local)
    sendData(frame, place, by, urls, unknown(mergeFlow(flow, body ? seen.flow : NO_FLOW)))
  else frame.engine.emit({ kind: 'net.fetch', by, targets: urls }, place)
}

const act = (
  reading: Reading,
  row: CallRow,
  dotted: string,
  args: readonly Result[],
  receiver: Result | undefined,
  tokens: readonly (readonly Token[])[],
): void => {
  const { frame, place, by, seen } = reading
  const { engine } = frame
  const onReceiver =
    receiver !== undefined && dotted.startsWith('().') && (isKnown(receiver.value) || receiver.value.prefix !== '')
  // `text.replace(a, b)` changes text, `path.replace(b)` moves a file.
  if (reading.language === 'python' && dotted === '().replace' && args.length > 1) return
  const subject = toField(onReceiver ? receiver : args[row.argument ?? 0])
  const targets = (field: Field) => pathTargets(frame, [field], 'entry')
  switch (row.act) {
    case 'delete':
    case 'delete-tree': {
      const tree = row.act === 'delete-tree' || tokens.flat().some((token) => token.text === 'recursive')
      const all =
        onReceiver || !['perl', 'ruby', 'php'].includes(reading.language)
          ? [subject]
          : args.flatMap((arg) => (arg.items ?? [arg]).map(toField))
      engine.emit(
        {
          kind: 'fs.delete',
          by,
          targets: all.flatMap(targets),
          traits: tree ? ['recursive', 'inline-code'] : ['inline-code'],
        },
        place,
      )
      return
    }
    case 'write': {
      const content = args[onReceiver ? 0 : 1]?.value ?? EMPTY
      return writeFiles(frame, place, by, [subject], content)
    }
    case 'open': {
      const two = reading.language === 'perl' && args.length >= 2
      const last = toField(args.at(-1))
      const file = two
        ? fieldOf({ ...last, texts: last.texts.map((text) => text.replace(/^\s*[<>+]+\s*/, '')) }, last.raw)
        : subject
      const mode = openMode(args, reading.language)
      if (mode === 'read') seen.flow = mergeFlow(seen.flow, readFiles(frame, place, by, [file]).flow)
      else writeFiles(frame, place, by, [file], unknown(), mode === 'append')
      return
    }
    case 'read':
      seen.flow = mergeFlow(seen.flow, readFiles(frame, place, by, [subject]).flow)
      return
    case 'list':
      return engine.emit({ kind: 'fs.list', by, targets: isKnown(subject) ? targets(subject) : [] }, place)
    case 'permission':
      return engine.emit({ kind: 'fs.permission', by, targets: targets(subject), traits: ['inline-code'] }, place)
    case 'copy': {
      const content = readFiles(frame, place, by, [subject])
      return writeFiles(frame, place, by, [toField(args[1])], content)
    }
    case 'move':
      engine.emit({ kind: 'fs.delete', by, targets: targets(subject), traits: ['inline-code'] }, place)
      return writeFiles(frame, place, by, [toField(args[onReceiver ? 0 : 1])], unknown())
    case 'link':
      for (const target of targets(toField(args[1])))
        for (const source of targets(subject)) engine.scratch.links.set(target.path, source.path)
      return engine.emit({ kind: 'fs.write', by, targets: targets(toField(args[1])) }, place)
    case 'shell':
      return runShellText(reading, args[0]?.items ? unknown() : (args[0]?.value ?? unknown()))
    case 'argv':
      return runList({ ...reading, by: dotted.slice(dotted.lastIndexOf('.') + 1) }, args)
    case 'kill': {
      const pid = Number(args[row.argument ?? 0]?.value.texts[0] ?? Number.NaN)
      engine.emit(
        {
          kind: 'process.kill',
          by,
          targets: [{ type: 'resource', name: Number.isNaN(pid) ? 'unresolved' : `pid:${pid}` }],
        },
        place,
      )
      if (engine.guard.isPid(Math.abs(pid))) engine.emit({ kind: 'guard.tamper', by }, place)
      return
    }
    case 'request':
      return request(reading, dotted, args, tokens)
    case 'send':
      return sendData(
        frame,
        place,
        by,
        hostsOf(args.find(isNetworkText) ?? args[0]),
        unknown(
          mergeFlow(
            seen.flow,
            args.reduce((all, arg) => mergeFlow(all, arg.value.flow), NO_FLOW),
          ),
        ),
      )
    case 'connect': {
      seen.connects = true
      const hosts = hostsOf(
        args[0]?.items
          ? args[0]
          : args.length > 1
            ? {
                value: unknown(),
                items:
                  reading.language === 'javascript' && /^\d+$/.test(args[0]?.value.texts[0] ?? '')
                    ? args.toReversed()
                    : args,
              }
            : args[0],
      )
      return sendData(frame, place, by, hosts, unknown(seen.flow))
    }
    case 'listen':
      return engine.emit({ kind: 'net.listen', by }, place)
    case 'eval':
      return evalCode(reading, args[0]?.value ?? unknown())
    case 'reflect':
      return engine.emit({ kind: 'unresolved', by, targets: [{ type: 'unknown', raw: dotted }] }, place)
    case 'environment':
      return engine.emit({ kind: 'env.read', by }, place)
    default:
      return row.act satisfies never
  }
}

const evalCode = (reading: Reading, text: Value): void => {
  const { frame, place, by } = reading
  if (text.flow.network) frame.engine.emit({ kind: 'exec.remote', by }, place)
  if (text.flow.decoded) frame.engine.emit({ kind: 'exec.decoded', by }, place)
  if (!isKnown(text) && !text.flow.network && !text.flow.decoded)
    frame.engine.emit({ kind: 'unresolved', by, targets: [{ type: 'unknown', raw: 'code' }] }, place)
  for (const one of text.texts)
    readCode(reading.language, one, { ...reading, frame: { ...frame, depth: frame.depth + 1 } })
}

/** Calls whose result carries what they read. */
const resultFlow =
  (language: Language, frame: Frame) =>
  (dotted: string, args: readonly Result[]): Value | undefined => {
    const row = CALLS.find((one) => one.languages.includes(language) && one.match.test(dotted))
    const sources: readonly Act[] = ['read', 'open', 'request', 'shell', 'argv', 'reflect']
    if (row === undefined || !sources.includes(row.act)) return undefined
    if (row.act === 'request' && (dotted !== 'file_get_contents' || isNetworkText(args[0])))
      return withFlow(unknown(), { network: true })
    if (row.act === 'shell' || row.act === 'argv') return withFlow(unknown(), { local: true })
    const field = toField(args[0])
    const secrets = pathTargets(frame, [field], 'content').filter(
      (target) => target.zone === 'credential' || target.zone === 'dotenv',
    )
    const content = pathTargets(frame, [field], 'content')
      .map((target) => frame.engine.scratch.files.get(target.path))
      .find((one) => one !== undefined)
    return withFlow(content ?? unknown(), { local: true, secrets })
  }

const STATEMENT_END = ['\n', ';']

const bare = (language: Language): boolean => language === 'perl' || language === 'ruby' || language === 'php'

const statementEnd = (tokens: readonly Token[], from: number): number => {
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at]
    if (token?.type !== 'punct') continue
    if (token.text === '(' || token.text === '[' || token.text === '{') at = closing(tokens, at)
    else if (STATEMENT_END.includes(token.text) || token.text === ')' || token.text === '}') return at
  }
  return tokens.length
}

const assign = (tokens: readonly Token[], at: number, scope: Scope): void => {
  const [name, sign, after] = [tokens[at], tokens[at + 1], tokens[at + 2]]
  if (
    name?.type !== 'name' ||
    sign?.text !== '=' ||
    sign.type !== 'punct' ||
    after === undefined ||
    after.text === '=' ||
    after.text === '>'
  )
    return
  const value = evaluate(tokens.slice(at + 2, statementEnd(tokens, at + 2)), scope)
  scope.vars.set(name.text, value)
}

/** Binds the names of `for x in EXPRESSION`, which a comprehension uses before it names them. */
const bindLoops = (tokens: readonly Token[], scope: Scope): void => {
  for (const [at, token] of tokens.entries()) {
    const [name, word] = [tokens[at + 1], tokens[at + 2]]
    if (token.text !== 'for' || token.type !== 'name' || name?.type !== 'name' || word?.text !== 'in') continue
    const rest = tokens.slice(at + 3)
    const end = rest.findIndex(
      (one, index) =>
        one.type === 'punct' &&
        (one.text === ':' || (one.text === ']' && closing(rest, 0) < index) || one.text === '\n'),
    )
    if (!scope.look(end < 0 ? rest.length : end)) return
    const found = evaluate(trimmed(end < 0 ? rest : rest.slice(0, end)), scope)
    const items = found.items?.flatMap((item) => item.value.texts) ?? []
    scope.vars.set(name.text, items.length > 0 ? { value: oneOf(items) } : found)
  }
}

/** Tokens up to a bracket that closes more than they open. */
const trimmed = (tokens: readonly Token[]): readonly Token[] => {
  let depth = 0
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'punct') continue
    if ('([{'.includes(token.text)) depth++
    if (')]}'.includes(token.text) && --depth < 0) return tokens.slice(0, at)
  }
  return tokens
}

/** Receiver of a call after `)` or `]`: the expression that ends just before the dot. */
const receiverOf = (tokens: readonly Token[], dot: number, scope: Scope): Result | undefined => {
  let depth = 0
  let at = dot - 1
  for (; at >= 0; at--) {
    const text = tokens[at]?.type === 'punct' ? tokens[at]?.text : undefined
    if (text === ')' || text === ']') depth++
    else if (text === '(' || text === '[') {
      depth--
      if (depth < 0) return undefined
    } else if (depth === 0 && tokens[at]?.type !== 'name' && text !== '.') break
  }
  return evaluate(tokens.slice(at + 1, dot), scope)
}

/** A method named by a string: `require('fs')['rmSync']('/')`. */
const visitMember = (tokens: readonly Token[], at: number, reading: Reading): void => {
  const [opens, closes, calls] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]]
  if (opens?.text !== '[' || closes?.text !== ']' || calls?.text !== '(' || tokens[at - 2]?.text !== ')') return
  const dotted = `().${tokens[at]?.text}`
  const row = CALLS.find((one) => one.languages.includes(reading.language) && one.match.test(dotted))
  if (row === undefined) return
  const parts = cut(tokens.slice(at + 3, closing(tokens, at + 2)), ',').filter((part) => part.length > 0)
  act(
    reading,
    row,
    dotted,
    parts.map((part) => evaluate(part, reading.scope)),
    undefined,
    parts,
  )
}

const visit = (tokens: readonly Token[], at: number, reading: Reading): void => {
  const token = tokens[at]
  const { scope, language } = reading
  if (token === undefined) return
  if (token.type === 'shell') {
    runShellText(
      reading,
      token.open === true ? { ...unknown(), prefix: token.text } : { ...EMPTY, texts: [token.text] },
    )
    return
  }
  if (token.type === 'string') return visitMember(tokens, at, reading)
  if (token.type !== 'name') return
  assign(tokens, at, scope)
  const before = tokens[at - 1]
  const afterDot =
    before?.type === 'punct' && (before.text === '.' || (before.text === '>' && tokens[at - 2]?.text === '-'))
  if (afterDot && tokens[at - 2]?.type === 'name') return
  const { name, end } = dottedAt(tokens, at, scope.names)
  const base = scope.vars.get(token.text)
  const dotted =
    afterDot || (base !== undefined && name.includes('.'))
      ? `().${name.slice(afterDot ? 0 : name.indexOf('.') + 1)}`
      : name
  const open = tokens[end]?.type === 'punct' && tokens[end]?.text === '('
  const next = tokens[end]
  const plain =
    !open &&
    bare(language) &&
    next !== undefined &&
    (next.type === 'string' || next.text === 'glob' || next.text.startsWith('$') || next.text === '[')
  if (!open && !plain) return
  const row = CALLS.find((one) => one.languages.includes(language) && (one.match.test(dotted) || one.match.test(name)))
  if (row === undefined) return
  const stop = open ? closing(tokens, end) : statementEnd(tokens, end)
  if (!scope.look(stop - end)) return
  const parts = cut(tokens.slice(open ? end + 1 : end, stop), ',').filter((part) => part.length > 0)
  const args = parts.map((part) => evaluate(part, scope))
  const receiver = afterDot ? receiverOf(tokens, at - 1, scope) : base
  act(reading, row, dotted, args, receiver, parts)
}

/** Tokens looked at for the price of a node: code is read by looking many times at few tokens. */
const LOOKS_A_NODE = 64

/** Reads inline code of a language and says the effects of the calls it finds; gives what it may print. */
export const readCode = (language: Language, text: string, context: CodeContext): Value => {
  const { frame, place, by } = context
  if (frame.depth > frame.engine.maxDepth) frame.engine.exhaust()
  if (frame.engine.exhausted()) return unknown()
  const tokens = tokenize(text, language)
  if (!frame.engine.spend(Math.ceil(tokens.length / 4))) return unknown()
  const scope: Scope = {
    vars: new Map(),
    names: bindImports(tokens, language),
    home: frame.engine.paths.home,
    look: (count) => frame.engine.spend(count / LOOKS_A_NODE),
    flowOf: resultFlow(language, frame),
  }
  const reading: Reading = { ...context, language, scope, seen: { flow: NO_FLOW, connects: false } }
  if (FORK_BOMB.test(text)) frame.engine.emit({ kind: 'exec.fork-bomb', by }, place)
  bindLoops(tokens, scope)
  for (let at = 0; at < tokens.length && !frame.engine.exhausted(); at++) visit(tokens, at, reading)
  if (reading.seen.connects && DUP.test(text)) frame.engine.emit({ kind: 'exec.shell-bridge', by }, place)
  if (
    /\b(?:os\.environ\b(?!\s*[.[]\s*(?:get|setdefault|['"a-z]))|process\.env\b(?!\s*[.[])|\bENV\.(?:to_h|each)|printenv)/.test(
      text,
    )
  )
    frame.engine.emit({ kind: 'env.read', by }, place)
  return withFlow(unknown(reading.seen.flow), { decoded: true, local: true })
}
