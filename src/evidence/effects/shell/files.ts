import { posix } from 'node:path'
import type { EffectTrait, Target } from '../../../protocol/evidence.ts'
import type { Engine, Place } from '../engine.ts'
import { type Expansion, expandGlob, hasGlob } from '../glob.ts'
import { LOOPBACK_HOST } from '../hosts.ts'
import { isGuardSecret, namesSwitch, switchesOf } from '../guard-rules.ts'
import type { PathTarget, PathUse } from '../paths.ts'
import { isPersistence, isScriptFile, isHomeCredential } from '../sensitive-paths.ts'
import { isPlainStart, startCode } from '../start-code.ts'
import { NO_FLOW, type Value, concat, isKnown, mergeFlow, unknown } from '../value.ts'
import { tellWorkflow } from '../workflows/tell-workflow.ts'
import { type Field, fieldOf, textOf } from './field.ts'
import type { Frame } from './frame.ts'
import { fork } from './state.ts'

/** Places that are no file: writing there changes nothing, reading there tells nothing. */
const STREAM = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd(?:\/.*)?)$/

/** Names under which a shell opens connections. */
const SOCKET = /^\/dev\/(?:tcp|udp)\//

const MAX_HOPS = 4
/** Links of the command's own that a path is held against for one unit of work. */
const LINKS = 64

/** A path with the links that the command itself made followed. */
const followOwn = (path: string, links: ReadonlyMap<string, string>): string => {
  let at = path
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const link = [...links.keys()].find((name) => at === name || at.startsWith(name === '/' ? name : `${name}/`))
    if (link === undefined) return at
    const next = posix.join(links.get(link) ?? link, at.slice(link.length))
    if (next === at) return at
    at = next
  }
  return at
}

const resolveOne = (frame: Frame, raw: string, cwd: string | undefined, use: PathUse): PathTarget => {
  const { paths, scratch } = frame.engine
  const target = paths.resolve(raw, cwd, use)
  if (scratch.links.size === 0 || !frame.engine.spend(Math.floor(scratch.links.size / LINKS))) return target
  const own = followOwn(target.path, scratch.links)
  return own === target.path ? target : { ...paths.resolve(own, '/', use), raw }
}

const globTargets = (frame: Frame, raw: string, cwd: string | undefined, use: PathUse): readonly PathTarget[] => {
  const { paths } = frame.engine
  const pattern = raw.startsWith('/') ? raw : cwd === undefined ? undefined : posix.join(cwd, raw)
  if (pattern === undefined) return [{ type: 'path', raw, path: raw, zone: 'unresolved' }]
  const expansion: Expansion = expandGlob(pattern, paths.world)
  const guarded = paths.mayMatchGuard(expansion.pattern, expansion.depth)
  const whole = expansion.wholeFolder
  const found =
    whole !== undefined
      ? [{ ...resolveOne(frame, whole, '/', 'content'), raw }]
      : expansion.matches.length > 0
        ? expansion.matches.map((path) => ({ ...resolveOne(frame, path, '/', use), raw }))
        : [{ ...resolveOne(frame, pattern.replace(/\[([^\]!^-])\]/g, '$1'), '/', use), raw }]
  return guarded && whole === undefined && !found.some((target) => target.zone === 'guard')
    ? [...found, { type: 'path', raw, path: pattern, zone: 'guard' }]
    : found
}

/** An unknown path lies where its known start leads to, too, when that is a place to be careful of. */
const unknownTargets = (frame: Frame, field: Field, use: PathUse): readonly PathTarget[] => {
  const raw = field.raw
  const hidden: PathTarget = { type: 'path', raw, path: field.prefix, zone: 'unresolved' }
  if (!/^\/.*\/$/.test(field.prefix)) return [hidden]
  const suffix = field.suffix.startsWith('/') ? field.suffix : ''
  const within = resolveOne(frame, `${field.prefix}FILE${suffix}`, '/', use)
  return /^(?:system|credential|guard|device)$/.test(within.zone) ? [hidden, { ...within, raw }] : [hidden]
}

/** Path targets of fields: own links followed, patterns expanded, every working directory it may run in. */
export const pathTargets = (frame: Frame, fields: readonly Field[], use: PathUse): readonly PathTarget[] =>
  fields.flatMap((field) => {
    if (!isKnown(field)) {
      if (!field.flow.settings || field.prefix === '') return unknownTargets(frame, field, use)
      return [resolveOne(frame, field.prefix + field.suffix, frame.state.cwds[0], use)]
    }
    return frame.state.cwds.flatMap((cwd) =>
      field.texts.flatMap((text) =>
        text === ''
          ? []
          : field.glob && hasGlob(text)
            ? globTargets(frame, text, cwd, use)
            : [resolveOne(frame, text, cwd, use)],
      ),
    )
  })

/** What a path would be if the unknown part of an unquoted or unset variable were empty. */
export const whenEmpty = (field: Field): Field | undefined => {
  if (isKnown(field) || !field.maybeEmpty) return undefined
  const text = field.prefix + field.suffix
  return text === '' ? undefined : fieldOf({ ...field, texts: [text] }, field.raw, hasGlob(text))
}

/** What the command itself wrote at a path, or into a folder above it from the network. */
export const writtenAt = (frame: Pick<Frame, 'engine'>, path: string): Value | undefined => {
  const { files } = frame.engine.scratch
  if (files.size === 0) return undefined
  const exact = files.get(path)
  if (exact !== undefined) return exact
  for (let up = posix.dirname(path); up !== '/' && up !== '.'; up = posix.dirname(up)) {
    const folder = files.get(up)
    if (folder?.flow.network === true) return unknown(folder.flow)
  }
  return undefined
}

/** Folders whose content is everything that somebody has. */
const WHOLE: Readonly<Partial<Record<PathTarget['zone'], 'tree' | 'home'>>> = {
  'workspace-root': 'tree',
  vcs: 'tree',
  home: 'home',
  root: 'home',
}

/** Programs that reach any machine, without a login that the person has set up there. */
const TO_ANYBODY =
  /^(?:curl|curlie|wget|wget2|http|https|httpie|xh|nc|ncat|netcat|nc\.openbsd|nc\.traditional|socat|telnet|openssl|ftp|tftp|websocat|wscat|croc|wormhole|transfer|bash|sh|zsh|git)$/

const isElsewhere = (host: Target): boolean =>
  host.type === 'host' && !LOOPBACK_HOST.test(host.host.replace(/:\d{1,5}$/, ''))

/** Whether a send carries a whole tree to a machine that nobody has set up for it. */
const isBulk = (by: string, hosts: readonly Target[], { whole }: Value['flow']): boolean =>
  whole !== undefined &&
  (whole === 'home'
    ? hosts.every((host) => host.type !== 'host' || isElsewhere(host))
    : TO_ANYBODY.test(by) && hosts.some(isElsewhere))

const contentOf = (frame: Frame, target: PathTarget): Value => {
  const written = writtenAt(frame, target.path)
  if (written !== undefined) return written
  const secret = target.zone === 'credential' || target.zone === 'dotenv' || isGuardSecret(target, frame.engine.paths)
  const processes = target.zone === 'guard' ? ['name:sallyport'] : []
  const whole = WHOLE[target.zone]
  return unknown({ ...NO_FLOW, local: true, secrets: secret ? [target] : [], processes, ...(whole ? { whole } : {}) })
}

/** Says that files are read; gives their content. */
export const readFiles = (
  frame: Frame,
  place: Place,
  by: string,
  fields: readonly Field[],
  traits: readonly EffectTrait[] = [],
): Value => {
  const targets = pathTargets(frame, fields, 'content')
  const files = targets.filter((target) => !STREAM.test(target.path))
  const content = targets.map((target) => contentOf(frame, target))
  if (files.length > 0) {
    frame.engine.emit({ kind: 'fs.read', by, targets: files, traits }, place)
    const secrets = files.filter(
      (one) => one.zone === 'credential' || one.zone === 'dotenv' || isGuardSecret(one, frame.engine.paths),
    )
    if (secrets.length > 0) frame.engine.emit({ kind: 'secret.read', by, targets: secrets, traits }, place)
    if (files.some((one) => /^\/proc\/[^/]+\/environ$/.test(one.path)))
      frame.engine.emit({ kind: 'env.read', by }, place)
  }
  const [first, ...rest] = content
  if (first === undefined) return unknown()
  return rest.reduce<Value>((all, one) => concat(all, one), first)
}

/** What is written, as far as the call shows it. */
export interface Written {
  readonly texts: readonly string[]
  /** Comes from where nobody has seen it. */
  readonly unseen: boolean
}

/** Content as what the call shows of it. */
export const shownOf = (content: Value): Written => {
  const { network, decoded, settings } = content.flow
  const texts = isKnown(content) ? content.texts : [content.prefix, content.suffix].filter((text) => text !== '')
  return { texts, unseen: network || decoded || (!isKnown(content) && !settings) }
}

/** Says what a write to these paths is beside a write: it starts by itself later, or takes the guard away. */
export const tellWritten = (
  engine: Engine,
  place: Place,
  by: string,
  targets: readonly PathTarget[],
  { texts, unseen }: Written,
  later: (code: string, engine: Engine) => void,
): void => {
  const lasting = targets.filter(({ path }) => isPersistence(path) && (unseen || !isPlainStart(path, texts)))
  if (lasting.length > 0) {
    engine.emit({ kind: 'persistence', by, targets: lasting, traits: unseen ? ['unseen'] : [] }, place)
    for (const { path } of lasting)
      for (const text of texts) for (const code of startCode(path, text)) later(code, engine)
  }
  for (const target of targets) tellWorkflow(engine, place, by, target, texts, later)
  const settings = targets.filter(({ path, zone }) => {
    const switches = zone === 'guard' ? undefined : switchesOf(path)
    return switches !== undefined && (unseen || texts.some((text) => namesSwitch(text, switches)))
  })
  if (settings.length > 0) engine.emit({ kind: 'guard.tamper', by, targets: settings }, place)
}

/** Follows code that runs by itself later. */
const runLater = (frame: Frame, place: Place, code: string): void => {
  const span = place.span ?? frame.span
  frame.runner.text(code, {
    ...frame,
    ...(span ? { span } : {}),
    state: fork({ ...frame.state, stdin: undefined }),
    possible: true,
    depth: frame.depth + 1,
  })
}

/** Below `/dev`, and no memory: a disk, or a name that stands for one. */
const isDevicePath = ({ path, zone }: PathTarget): boolean =>
  zone === 'device' || (zone === 'unresolved' && path.startsWith('/dev/'))

/** Writes over what a program or a person keeps in a home folder; a key that is made for the workspace is nobody's yet. */
const isHomeKey = (path: string, home: string): boolean =>
  path.startsWith(`${home}/`) && isHomeCredential(path.slice(home.length + 1).toLowerCase())

/** Says that files are written with this content. */
export const writeFiles = (
  frame: Frame,
  place: Place,
  by: string,
  fields: readonly Field[],
  content: Value,
  append = false,
): void => {
  const { engine } = frame
  for (const field of fields) {
    const [, host, port] = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)$/.exec(textOf(field) ?? '') ?? []
    if (host !== undefined) sendData(frame, place, by, [{ type: 'host', host: `${host}:${port}` }], content)
  }
  const targets = pathTargets(frame, fields, 'content')
    .filter((one) => !SOCKET.test(one.path))
    .filter((target) => !STREAM.test(target.path))
  const [devices, files] = [targets.filter(isDevicePath), targets.filter((one) => !isDevicePath(one))]
  if (devices.length > 0) engine.emit({ kind: 'device.write', by, targets: devices }, place)
  const through = pathTargets(frame, fields, 'content').filter((target) => target.path.startsWith('/dev/fd/'))
  for (const target of through) engine.scratch.files.set(target.path, content)
  if (files.length === 0) return
  const traits: EffectTrait[] = append ? ['append'] : []
  if (files.some((one) => isScriptFile(one.path))) traits.push('script')
  if (content.flow.network) traits.push('from-network')
  if (!append && files.some(({ path }) => isHomeKey(path, engine.paths.home))) traits.push('replace')
  engine.emit({ kind: 'fs.write', by, targets: files, traits }, place)
  tellWritten(engine, place, by, files, shownOf(content), (code, into) =>
    runLater({ ...frame, engine: into }, place, code),
  )
  for (const { path } of files) {
    const before = engine.scratch.files.get(path)
    engine.scratch.files.set(path, append && before !== undefined ? concat(before, content) : content)
  }
}

/** Says that data goes to hosts, and which secrets go with it. */
export const sendData = (
  frame: Pick<Frame, 'engine'>,
  place: Place,
  by: string,
  hosts: readonly Target[],
  data: Value,
): void => {
  const traits = isBulk(by, hosts, data.flow) ? (['all'] as const) : []
  frame.engine.emit({ kind: 'net.send', by, targets: hosts, traits }, place)
  if (data.flow.secrets.length > 0)
    frame.engine.emit({ kind: 'secret.send', by, targets: [...data.flow.secrets, ...hosts] }, place)
}

/** What flows in the values of all these fields. */
export const flowOf = (fields: readonly Value[]): Value['flow'] =>
  fields.reduce((all, field) => mergeFlow(all, field.flow), NO_FLOW)
