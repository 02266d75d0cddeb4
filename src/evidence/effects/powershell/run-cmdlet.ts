import { isLoopback } from '../../../protocol/network-host.ts'
import type { EffectTrait, Target } from '../../../protocol/evidence.ts'
import { hostOf } from '../places/hosts.ts'
import { isPersistence, isScriptFile } from '../places/sensitive-paths.ts'
import { EMPTY, NO_FLOW, type Value, isKnown, known, mergeFlow, unknown } from '../values/value.ts'
import { type PsArguments, psArguments } from './arguments.ts'
import type { PsAct } from './cmdlets.ts'
import type { PsContext } from './context.ts'
import { psValue } from './ps-value.ts'
import type { PsWord } from './statements.ts'
import { windowsPath } from './windows-path.ts'

/** Whether a cmdlet with these arguments switches off a scanner or firewall, or makes it blind to a place. */
const turnsOff = (name: string, args: string): boolean =>
  /^(?:set|add)-mppreference$/i.test(name)
    ? /-disable\w+[: ]\s*(?:\$true|1)\b|-exclusion\w+\b/i.test(args)
    : /^set-netfirewallprofile$/i.test(name)
      ? /-enabled[: ]\s*\$?false\b/i.test(args)
      : /^uninstall-windowsfeature$/i.test(name) && /defender/i.test(args)

type PathTarget = Extract<Target, { readonly type: 'path' }>

const PLACES = ['path', 'literalpath', 'lp', 'pspath', 'filepath', 'destination', 'outfile'] as const

const RUN_KEY =
  /\\(?:currentversion\\run(?:once)?|winlogon|image file execution options|currentcontrolset\\services)(?:\\|$)/i
const GUARD_NAME = /sallyport|^node(?:\.exe)?$/i

interface Running {
  readonly context: PsContext
  readonly name: string
  readonly args: PsArguments
  readonly words: readonly PsWord[]
  readonly input: Value | undefined
}

const pathsOf = (
  { context, args }: Running,
  fields: readonly PsWord[],
  use: 'content' | 'entry',
): readonly PathTarget[] =>
  [...fields, ...args.get(...PLACES)].map((word) => {
    const value = psValue(word, context)
    const raw = isKnown(value) ? (value.texts[0] ?? '') : `${value.prefix}$`
    return windowsPath(inFolder(raw, context), context.engine, use)
  })

/** The current folder after `cd`; stored among the variables, under a name that code cannot write. */
const FOLDER = '<cd>'

const inFolder = (raw: string, { variables }: PsContext): string => {
  const folder = variables.get(FOLDER)
  if (folder === undefined || /^(?:[a-z]:|[\\/~]|\$(?:env:|home\b))/i.test(raw)) return raw
  return `${folder.texts[0] ?? '$unknown'}/${raw}`
}

const go = ({ context, args }: Running): Value => {
  const [to] = [...args.operands, ...args.get(...PLACES)]
  const value = to === undefined ? unknown() : psValue(to, context)
  const raw = inFolder(value.texts[0] ?? '$unknown', context)
  context.variables.set(FOLDER, isKnown(value) ? known(raw) : unknown())
  return EMPTY
}

const emitPaths = (
  { context, name }: Running,
  kind: 'fs.read' | 'fs.list' | 'fs.write' | 'fs.delete',
  targets: readonly PathTarget[],
  traits: readonly EffectTrait[] = [],
): void => {
  if (targets.length > 0) context.engine.emit({ kind, by: name, targets, traits }, context.place)
}

const read = (running: Running, targets: readonly PathTarget[]): Value => {
  emitPaths(running, 'fs.read', targets)
  const secrets = targets.filter((one) => one.zone === 'credential' || one.zone === 'dotenv')
  if (secrets.length > 0)
    running.context.engine.emit({ kind: 'secret.read', by: running.name, targets: secrets }, running.context.place)
  return unknown({ ...NO_FLOW, local: true, secrets })
}

const write = (running: Running, targets: readonly PathTarget[], extra: readonly EffectTrait[] = []): Value => {
  const { context, name, input } = running
  const traits: EffectTrait[] = [...extra]
  if (targets.some((one) => isScriptFile(one.path))) traits.push('script')
  if (input?.flow.network === true) traits.push('from-network')
  emitPaths(running, 'fs.write', targets, traits)
  const starts = targets.filter((one) => isPersistence(one.path) || /\/startup\/|profile\.ps1$/i.test(one.path))
  if (starts.length > 0)
    context.engine.emit({ kind: 'persistence', by: name, targets: starts, traits: ['unseen'] }, context.place)
  return EMPTY
}

const web = (running: Running): Value => {
  const { context, name, args } = running
  const value = (word: PsWord): Value => psValue(word, context)
  const urls = [...args.get('uri', 'source'), ...args.operands].map(value)
  const hosts = urls
    .slice(0, 1)
    .map((url) => hostOf(url.texts[0] ?? url.prefix) ?? { type: 'host' as const, host: 'unresolved' })
  const body = [...args.get('body', 'infile', 'form'), ...args.get('headers')].map(value)
  const files = args.get('infile')
  const sent = body.reduce((all, one) => mergeFlow(all, one.flow), NO_FLOW)
  const content =
    files.length > 0
      ? read(
          running,
          files.map((word) => windowsPath(word.text, context.engine, 'content')),
        )
      : undefined
  const secrets = [...sent.secrets, ...(content?.flow.secrets ?? [])]
  const method = args.get('method').map((word) => word.text.toUpperCase())[0]
  const sends = body.length > 0 || (method !== undefined && !/^(?:GET|HEAD)$/.test(method))
  context.engine.emit({ kind: sends ? 'net.send' : 'net.fetch', by: name, targets: hosts }, context.place)
  if (secrets.length > 0)
    context.engine.emit({ kind: 'secret.send', by: name, targets: [...secrets, ...hosts] }, context.place)
  const own = hosts.every((host) => isLoopback(host.host))
  if (method === 'DELETE' && !own)
    context.engine.emit(
      { kind: 'cloud.destroy', by: name, targets: [{ type: 'resource', name: hosts[0]?.host ?? '' }] },
      context.place,
    )
  const into = args.get('outfile', 'destination').map((word) => windowsPath(word.text, context.engine, 'content'))
  if (into.length > 0) write({ ...running, input: unknown({ ...NO_FLOW, network: true }) }, into)
  return unknown({ ...NO_FLOW, network: true })
}

const invoke = ({ context, name, words, input }: Running): Value => {
  const texts = words.map((word) => psValue(word, context))
  const flow = [...texts, ...(input ? [input] : [])].reduce((all, one) => mergeFlow(all, one.flow), NO_FLOW)
  if (flow.network) context.engine.emit({ kind: 'exec.remote', by: name }, context.place)
  if (flow.decoded) context.engine.emit({ kind: 'exec.decoded', by: name }, context.place)
  const whole = texts.length > 0 ? texts : input ? [input] : []
  if (whole.every(isKnown)) return context.code(whole.map((one) => one.texts[0] ?? '').join(' '))
  if (!flow.network && !flow.decoded) context.hidden(name)
  return unknown(flow)
}

const remove = (running: Running): Value => {
  const { args, input, context, name } = running
  const traits: EffectTrait[] = []
  if (args.has('recurse') || /\s\/s\b/i.test(running.words.map((word) => word.text).join(' '))) traits.push('recursive')
  if (args.has('force')) traits.push('force')
  const fields = args.operands.filter((word) => !/^\/[a-z]$/i.test(word.text))
  const named = pathsOf(running, fields, 'entry')
  const piped = (input?.flow.processes ?? []).flatMap((mark) =>
    mark.startsWith('path:') ? [windowsPath(mark.slice(5), context.engine, 'entry')] : [],
  )
  const targets = [...named, ...piped]
  const all = targets.length > 0 ? targets : input ? [windowsPath('$_', context.engine, 'entry')] : []
  emitPaths({ ...running, name }, 'fs.delete', all, traits)
  return EMPTY
}

const list = (running: Running): Value => {
  const { args, context, name } = running
  const fields = [...args.operands, ...args.get(...PLACES)]
  if (fields.some((word) => /^env:/i.test(word.text))) {
    context.engine.emit({ kind: 'env.read', by: name }, context.place)
    return unknown({ ...NO_FLOW, secrets: [{ type: 'resource', name: 'environment' }] })
  }
  const targets = pathsOf(
    running,
    args.operands.length > 0 || args.get(...PLACES).length > 0 ? args.operands : [{ text: '.', quoted: true }],
    'content',
  )
  emitPaths(running, 'fs.list', targets, args.has('recurse') ? ['recursive'] : [])
  return unknown({ ...NO_FLOW, processes: targets.map((target) => `path:${target.raw}`) })
}

const kill = ({ context, name, args, input }: Running): Value => {
  const words = [...args.operands, ...args.get('name', 'id', 'processname', 'inputobject')].map((word) =>
    psValue(word, context),
  )
  const { engine, place } = context
  engine.emit(
    {
      kind: 'process.kill',
      by: name,
      targets: words.map((one) => ({ type: 'resource', name: one.texts[0] ?? one.prefix })),
    },
    place,
  )
  const unsure = words.some((one) => !isKnown(one)) || (words.length === 0 && input !== undefined)
  const guards = words.some((one) =>
    one.texts.some((text) => GUARD_NAME.test(text) || /[*?]/.test(text) || engine.guard.program.isPid(Number(text))),
  )
  if (unsure || guards) engine.emit({ kind: 'guard.tamper', by: name }, place)
  return EMPTY
}

const start = (running: Running): Value => {
  const { context, name, args, words } = running
  if (args.get('verb').some((word) => /runas/i.test(word.text)))
    context.engine.emit({ kind: 'privilege.raise', by: name }, context.place)
  const [program] = [...args.get('filepath'), ...args.operands]
  if (program === undefined) return EMPTY
  const value = psValue(program, context)
  if (!isKnown(value)) {
    context.hidden(words[0]?.text ?? name)
    return EMPTY
  }
  const given = [...args.get('argumentlist'), ...args.operands.filter((word) => word !== program)].map((word) =>
    psValue(word, context),
  )
  return context.program(value.texts[0] ?? '', given)
}

/** A scanner or firewall that is switched off, or made blind to a place. */
const offOf = ({ name, words }: Running): readonly 'protection.off'[] =>
  turnsOff(name, words.map((word) => word.text).join(' ')) ? ['protection.off'] : []

const emitAct = (
  { context, name, words }: Running,
  ...kinds: readonly ('device.write' | 'service.change' | 'privilege.raise' | 'persistence' | 'protection.off')[]
): Value => {
  const targets: readonly Target[] = [
    {
      type: 'resource',
      name: words
        .map((word) => word.text)
        .join(' ')
        .slice(0, 80),
    },
  ]
  for (const kind of kinds) {
    // The program behind the action is not looked for.
    const traits: readonly EffectTrait[] = kind === 'persistence' ? ['unseen'] : []
    context.engine.emit({ kind, by: name, targets, traits }, context.place)
  }
  return EMPTY
}

const HOW: { readonly [K in PsAct]: (running: Running) => Value } = {
  remove,
  list,
  web,
  invoke,
  kill,
  start,
  device: (running) => emitAct(running, 'device.write'),
  read: (running) =>
    read(
      running,
      pathsOf(running, running.args.operands.slice(/^(?:select-string|sls)$/.test(running.name) ? 1 : 0), 'content'),
    ),
  write: (running) => write(running, pathsOf(running, running.args.operands.slice(0, 1), 'content')),
  append: (running) => write(running, pathsOf(running, running.args.operands.slice(0, 1), 'content'), ['append']),
  copy: (running) => {
    const [from, into] = pathsOf(running, running.args.operands, 'content')
    if (from) read(running, [from])
    return into ? write(running, [into]) : EMPTY
  },
  move: (running) => {
    const [from, into] = pathsOf(running, running.args.operands, 'entry')
    if (from) emitPaths(running, 'fs.delete', [from])
    return into ? write(running, [into]) : EMPTY
  },
  block: ({ words, context, input }) => {
    for (const word of words) if (word.group !== undefined) context.code(word.group, input)
    return input ?? unknown()
  },
  service: (running) => emitAct(running, ...offOf(running), 'service.change'),
  persist: (running) => emitAct(running, 'persistence'),
  setting: (running) =>
    running.words.some((word) => RUN_KEY.test(word.text))
      ? emitAct(running, 'persistence', 'service.change')
      : emitAct(running, 'service.change'),
  protect: (running) => emitAct(running, ...offOf(running), 'service.change', 'privilege.raise'),
  print: ({ words, context, input }) =>
    words.length === 1 && words[0]
      ? psValue(words[0], context)
      : (input ?? unknown(words.reduce((all, word) => mergeFlow(all, psValue(word, context).flow), NO_FLOW))),
  cd: go,
  pass: ({ input }) => input ?? unknown(),
}

/** Says what one cmdlet does and gives what it puts out. */
export const runCmdlet = (
  act: PsAct,
  name: string,
  words: readonly PsWord[],
  input: Value | undefined,
  context: PsContext,
): Value => HOW[act]({ context, name, args: psArguments(words), words, input })
