import { posix } from 'node:path'
import { isLoopback } from '../../protocol/network-host.ts'
import type { Effect, Finding, SideEffectClass, Target, TargetOrigin } from '../../protocol/evidence.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { KeptContent, KeptFiles } from './kept-files.ts'
import { saidIn } from './said-in.ts'
import { isHistory } from './seen-secret.ts'

/** Files of one call that are remembered, and looked up. */
const MOST_FILES = 64
/** Words of one call that may name a file. */
const MOST_WORDS = 256
const LONGEST_WORD = 512

/** The parts of a call that this memory reads. */
export interface StoringCall {
  readonly session: string
  readonly input: JsonObject
  readonly effects: readonly Effect[]
  /** The agent's folder. */
  readonly cwd: string
  readonly server: boolean
  readonly sideEffect?: SideEffectClass
}

const commandOf = ({ command }: JsonObject): string => (typeof command === 'string' ? command : '')

const pathTargets = (targets: readonly Target[]): readonly Extract<Target, { readonly type: 'path' }>[] =>
  targets.filter((target) => target.type === 'path').slice(0, MOST_FILES)

const pathsAmong = (targets: readonly Target[]): readonly string[] => pathTargets(targets).map(({ path }) => path)

/** What the files hold that a call reads or moves: each by itself, or somewhere below a folder that is read whole. */
const heldBy = ({ effects, session }: StoringCall, files: KeptFiles): readonly (readonly [string, KeptContent])[] =>
  effects
    .filter(({ kind }) => kind === 'fs.read' || kind === 'fs.delete')
    .flatMap(({ targets }) =>
      pathTargets(targets).flatMap(({ path, raw }) => {
        const held = files.at(path, raw, session) ?? files.below(path)
        return held === undefined ? [] : [[path, held] as const]
      }),
    )

/** Where a secret comes from that a call itself handles. */
const handled = (effects: readonly Effect[]): string => {
  const [target] = effects.find(({ kind }) => kind === 'secret.read')?.targets ?? []
  if (target?.type === 'path') return `file ${target.path}`
  return target?.type === 'resource' ? target.name : 'a call'
}

const REPOSITORY = 'vcs:'

/** Whether the call commits files, or its own text, to the history of a repository. */
const commits = (effects: readonly Effect[]): boolean =>
  effects.some(({ kind, targets }) => kind === 'vcs.change' && targets.some(isHistory))

const fills = ({ kind, traits }: Effect): boolean =>
  kind === 'fs.write' && (traits.includes('secret') || traits.includes('whole'))

/**
 * Takes in which files a call that is let through fills with a secret, or with a whole tree or database: itself, or from
 * files that hold such a thing. What is written anew holds it no more.
 * @param said the source of the secret in the call's own words
 */
export const learnStored = (call: StoringCall, files: KeptFiles, said: KeptContent | undefined): void => {
  const { effects, cwd, session } = call
  if (files.isEmpty && said === undefined && !effects.some(fills)) return
  const written = new Set(effects.flatMap(({ kind, targets }) => (kind === 'fs.write' ? pathsAmong(targets) : [])))
  const named = files.isEmpty ? [] : namedIn(call, files).filter(([path]) => !written.has(path))
  const sources = [...(files.isEmpty ? [] : heldBy(call, files)), ...named]
  const copied = sources[0]?.[1]
  const tree = effects.some(
    ({ kind, traits, targets }) =>
      (kind === 'fs.read' || kind === 'fs.delete') && traits.includes('recursive') && targets.length > 0,
  )
  for (const { kind, traits, targets } of effects) {
    if (kind === 'fs.delete') for (const path of pathsAmong(targets)) files.empty(path)
    if (kind !== 'fs.write') continue
    const own: KeptContent | undefined = traits.includes('secret')
      ? { as: 'secret', from: handled(effects), own: [] }
      : traits.includes('whole')
        ? { as: 'whole', from: 'a call', own: [] }
        : undefined
    const content = said ?? (own?.as === 'secret' ? own : undefined) ?? copied ?? own
    for (const path of pathsAmong(targets)) {
      if (content === undefined) {
        if (!traits.includes('append')) files.empty(path)
        continue
      }
      files.keep(path, content, session, content === copied && tree && !posix.basename(path).includes('.'))
      // Where the path is a folder, the copy is in it.
      if (content === copied)
        for (const [source] of sources) files.keep(posix.join(path, posix.basename(source)), content, session)
    }
  }
  if (copied !== undefined) for (const path of outputsOf(call)) files.keep(path, copied, session)
  if (!commits(effects)) return
  const committed = said ?? copied ?? (takesAll(call) ? files.below(cwd, session) : undefined)
  if (committed?.as === 'secret') files.keep(`${cwd}/${REPOSITORY}${session}`, committed, session)
}

/** Maximum files in one result; more are a search, whose matches cannot be assigned to files. */
const MOST_SHOWN = 4

/** Records the files in which a secret was found when they were read, whether it was masked or not. */
export const learnSeen = (call: StoringCall, files: KeptFiles, findings: readonly Finding[]): void => {
  const isSecret = ({ category, severity }: Finding): boolean =>
    category === 'secret' && (severity === 'high' || severity === 'critical')
  if (!findings.some(isSecret)) return
  const paths = call.effects.flatMap(({ kind, targets }) => (kind === 'fs.read' ? pathsAmong(targets) : []))
  if (paths.length > MOST_SHOWN) return
  for (const path of paths) files.keep(path, { as: 'seen', from: `file ${path}`, own: [] }, call.session)
}

const OUTPUT = /(?:\s-o|\s--?out(?:put|file)?)[ =]["']?([^\s"';|&<>]{1,256})/g

/** Files that a program writes although its row does not declare it. */
const outputsOf = (call: StoringCall): readonly string[] =>
  [...commandOf(call.input).matchAll(OUTPUT)].slice(0, MOST_FILES).map(([, path = '']) => posix.resolve(call.cwd, path))

/** Whether a commit takes every file. */
const takesAll = (call: StoringCall): boolean =>
  /\badd\s(?:[^\n;&|]{0,200}\s)?(?:-A|--all|-u|\.|\*)(?:\s|$|[;&|])|\bcommit\s(?:[^\n;&|]{0,200}\s)?(?:--all|-[a-z]{0,4}a[a-z]{0,4})(?:\s|$)/.test(
    commandOf(call.input),
  )

const isElsewhere = (target: Target): boolean => target.type !== 'host' || !isLoopback(target.host)

const sends = ({ effects, server, sideEffect }: StoringCall): boolean =>
  effects.some(({ kind, targets }) => {
    if (kind === 'net.send' || kind === 'secret.send') return targets.length === 0 || targets.some(isElsewhere)
    return kind === 'tool.call' && server && sideEffect !== 'local_write' && sideEffect !== 'read_only'
  })

const SEPARATORS = /[\s"'`=@,;|<>()[\]{}]+/

/** Quoted texts; those with blanks only mention files. */
const QUOTED = /"[^"]{0,4096}"|'[^']{0,4096}'/g

/** Patterns that are applied to whole texts, for the test of linear time. */
export const STORED_PATTERNS = { quoted: QUOTED, output: OUTPUT }

/** The files that hold something among the words of a command, or that an argument of a tool is. */
const namedIn = (
  { input, cwd, server, session }: StoringCall,
  files: KeptFiles,
): readonly (readonly [string, KeptContent])[] =>
  (server
    ? saidIn(input).filter((text) => !/\s/.test(text))
    : [commandOf(input).replace(QUOTED, (text) => (/\s/.test(text) ? ' ' : text))]
  )
    .flatMap((text) => text.split(SEPARATORS, MOST_WORDS))
    .filter((word) => word.length > 2 && word.length <= LONGEST_WORD && /[./]/.test(word))
    .slice(0, MOST_WORDS)
    .flatMap((word) => {
      const named = word.replace(/^file:\/\//, '')
      const path = posix.resolve(cwd, named)
      const held = files.at(path, named, session)
      return held === undefined ? [] : [[path, held] as const]
    })

/** Publishes the content of a folder, which the call need not name. */
const PUBLISHES = /(?:^|[\s:-])(?:deploy|publish|pages|upload|push|release)(?=[\s:-]|$)/

const publishes = ({ kind, targets, by }: Effect): boolean =>
  kind === 'package.publish' ||
  (kind === 'exec.run' && /^(?:surge|gh-pages)$/.test(by)) ||
  (kind === 'net.send' && /^(?:docker|podman|nerdctl|buildah)$/.test(by)) ||
  (kind === 'cloud.change' && targets.some((target) => target.type === 'resource' && PUBLISHES.test(target.name)))

/** The folders whose repositories a call publishes. */
const pushedFrom = (effects: readonly Effect[]): readonly string[] =>
  effects
    .filter(({ kind }) => kind === 'vcs.publish')
    .flatMap(({ targets }) => targets)
    .flatMap((target) => (target.type === 'resource' && target.name.startsWith('in:') ? [target.name.slice(3)] : []))

const finding = (type: string, severity: Finding['severity']): Finding => ({
  category: 'exfiltration',
  type,
  severity,
  confidence: 0.9,
  span: { pointer: '/input', start: 0, end: 0 },
  detector: 'labels',
})

/** What a call lets out of files that agents filled: the findings, and each file with where its content came from. */
export interface Stored {
  readonly findings: readonly Finding[]
  readonly origins: readonly TargetOrigin[]
}

const NOTHING: Stored = { findings: [], origins: [] }

/**
 * Looks for files that a call sends or publishes and that an earlier call filled.
 * @param belongs whether the call goes only where a secret with these owners belongs
 */
export const storedSent = (
  call: StoringCall,
  files: KeptFiles,
  belongs: (own: readonly string[]) => boolean,
): Stored => {
  if (files.isEmpty) return NOTHING
  const { effects, cwd, session } = call
  const sent = sends(call) || effects.some(publishes) ? [...heldBy(call, files), ...namedIn(call, files)] : []
  const near = [
    ...pushedFrom(effects).map((folder) => [folder, files.at(`${folder}/${REPOSITORY}${session}`)] as const),
    ...(effects.some(publishes) ? [[cwd, files.below(cwd, session)] as const] : []),
  ]
  const strayed = sent.filter(([, { own, as }]) => as === 'whole' || !belongs(own))
  const within = near.flatMap(([path, held]) =>
    held?.as === 'secret' && !belongs(held.own) ? [[path, held] as const] : [],
  )
  const findings = [
    ...(strayed.some(([, { as }]) => as !== 'whole') ? [finding('kept-secret', 'critical')] : []),
    ...(strayed.some(([, { as }]) => as === 'whole') ? [finding('kept-whole', 'high')] : []),
    ...(within.length > 0 ? [finding('kept-within', 'high')] : []),
  ]
  const origins = [...new Map([...strayed, ...within])].slice(0, 8).map(([target, { from }]): TargetOrigin => ({
    effect: 'fs.read',
    role: 'content',
    target,
    origin: 'workspace',
    source: from,
  }))
  return { findings, origins }
}
