import type { Effect, Target, TargetOrigin } from '../../protocol/evidence.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { actWords } from './act-words.ts'
import { OWN } from './person-words.ts'

/** Whether one message of the person has a word of every group, and forbids nothing of it. */
export type Says = (groups: readonly (readonly string[])[]) => boolean

/** A call, as far as its effects and its command line show what it does to what. */
export interface AskedCall {
  readonly effects: readonly Effect[]
  readonly command: string
  /** The whole content of the one file that is written. */
  readonly written?: string
}

const stems = (words: string): readonly string[] => actWords(words)

const EVERY = stems(
  'every each nightly daily hourly weekly monthly cron crontab schedule jeden jede täglich stündlich wöchentlich monatlich chaque tous cada diario ogni elke',
)
const DELETES = [':delete', ...stems('weg rid clean clear trash tidy vide limpia pulisci')]
const SYNCS = stems(
  'sync synchronise synchronize deploy publish mirror release ship upload synchronisiere veröffentliche',
)
const PUSHES = stems('push pushe pousse sube')
const REBASED = stems('rebase rebased amend squash squashed')
/** All that is in a folder. */
const ALL = stems('everything alles tout tutto')
/** What people call files by their ends. */
const KINDS: readonly (readonly [ends: RegExp, words: readonly string[]])[] = [
  [/\.(?:tar|tgz|zip|gz|bz2|xz|7z|rar|zst)$/, stems('archive archives tarball tarballs zips archiv archiven')],
  [
    /\.(?:png|jpe?g|gif|webp|heic|svg)$/,
    stems('image images picture pictures screenshot screenshots photos bilder fotos'),
  ],
  [/\.(?:mp4|mov|mkv|avi|webm)$/, stems('video videos recordings')],
]

/** Programs that hand a table of times on, and those that run a script by its path. */
const CARRIES = /^(?:crontab|echo|printf|cat|bash|sh|zsh|dash|python3?|node|perl|ruby)$/
const BUILT = /(?:^|\/)(?:dist|build|out|public|_site|site|www|html|target|\.next|\.output|storybook-static)$/

const pathsOf = ({ targets }: Effect) => targets.filter((one) => one.type === 'path')
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase()
const onlyHas = (effects: readonly Effect[], kinds: readonly Effect['kind'][]): boolean =>
  effects.every(({ kind }) => kinds.includes(kind))

/** A name of a file, or all of the words in it, as groups. */
const fileGroups = (base: string): readonly (readonly (readonly string[])[])[] => {
  const plain = actWords(base.replace(/\.\w{1,5}$/, ''))
  return [[[`=${base}`]], ...(plain.length === 0 ? [] : [plain.map((word) => [word])])]
}

/** The scripts that start at set times, each named with that. */
const isScheduled = ({ effects, command }: AskedCall, says: Says): boolean => {
  // What was in the table stays there, and what a script is given leads nowhere.
  if (!/\bcrontab\s+-l\b/.test(command) || /:\/\/|@(?!daily|hourly|weekly|monthly|midnight)/.test(command)) return false
  if (!onlyHas(effects, ['exec.run', 'persistence'])) return false
  if (effects.some(({ kind, by, traits }) => kind === 'persistence' && (by !== 'crontab' || traits.length > 0)))
    return false
  const scripts = effects
    .filter(({ kind }) => kind === 'exec.run')
    .flatMap(pathsOf)
    .map(({ path }) => baseOf(path))
  const isKnown = ({ kind, by }: Effect): boolean =>
    kind !== 'exec.run' || CARRIES.test(by) || scripts.includes(by.toLowerCase())
  return (
    scripts.length > 0 &&
    effects.every(isKnown) &&
    scripts.every((script) => fileGroups(script).some((groups) => says([EVERY, ...groups])))
  )
}

/** Paths and addresses in a line, each to be named. */
const signed = (line: string): readonly (readonly string[])[] =>
  line.split(/\s+/).flatMap((token) => (/[/:@$`]/.test(token) ? [[`=${token.toLowerCase()}`]] : []))

/** Whether one message has every word of some lines of code, and a word of another group. */
const isSpelledOut = (lines: readonly string[], group: readonly string[], says: Says): boolean => {
  const words = actWords(lines.join('\n'))
  return words.length > 0 && says([group, ...words.map((word) => [word]), ...lines.flatMap(signed)])
}

const HOOK = /\/(?:\.git\/hooks|\.husky|\.githooks)\/([a-z]{2,20}(?:-[a-z]{2,20}){0,3})$/
/** Lines of a script that run nothing of their own. */
const FRAME = /^\s*(?:#.*|set -[a-z]{1,4}(?: pipefail)?|exit [0-9]|exec)?\s*$/

/** A hook of the repository that the person named, with every word of what it runs. */
const isHook = ({ effects, written }: AskedCall, says: Says): boolean => {
  const paths = effects.filter(({ kind }) => kind === 'persistence').flatMap(pathsOf)
  const name = paths.length === 1 ? HOOK.exec(paths[0]?.path ?? '')?.[1] : undefined
  const run = written?.split('\n').filter((line) => !FRAME.test(line)) ?? []
  return name !== undefined && isSpelledOut(run, [`=${name}`], says)
}

/** A line that is added to the table of times: when, perhaps where in the project, and what runs. */
const ADDED =
  /^\(crontab -l(?: 2>\/dev\/null)?; echo (['"])(?:@[a-z]{4,10}|(?:[\d*/,-]{1,20} ){4}[\d*/,-]{1,20}) (?:cd [^\s&;|'"]{1,200} && )?([^\n;|`$&'"]{2,200})\1\) \| crontab -$/

/** A command at set times, with every word of it. */
const isTimed = ({ effects, command }: AskedCall, says: Says): boolean => {
  const run = ADDED.exec(command)?.[2]
  return run !== undefined && onlyHas(effects, ['exec.run', 'persistence']) && isSpelledOut([run], EVERY, says)
}

const folderNames = (raw: string): readonly string[] => {
  const folder = raw.slice(0, raw.lastIndexOf('/')).toLowerCase()
  if (folder.split('/').filter(Boolean).length < 2) return []
  return [folder, folder.replace(/^\/(?:home|users)\/[^/]{1,64}\//, '~/')].map((name) => `=${name}`)
}

/** What is called by its folder and its kind. */
const isNamedKind = (target: Target, says: Says): boolean => {
  if (target.type !== 'path') return false
  const base = baseOf(target.raw)
  const words =
    base === '*' ? ALL : [...actWords(base), ...KINDS.flatMap(([ends, called]) => (ends.test(base) ? called : []))]
  return says([DELETES, folderNames(target.raw), words])
}

const isDeleted = ({ effects }: AskedCall, says: Says): boolean =>
  onlyHas(effects, ['exec.run', 'fs.delete']) &&
  effects.every(({ kind, by }) => kind !== 'exec.run' || by === 'rm') &&
  effects.every(
    ({ kind, targets, traits }) =>
      kind !== 'fs.delete' || (!traits.includes('recursive') && targets.every((target) => isNamedKind(target, says))),
  )

/** What was built, made the same in a store that the person named. */
const isSynced = ({ effects, command }: AskedCall, says: Says): boolean => {
  if (!onlyHas(effects, ['exec.run', 'fs.read', 'net.send', 'cloud.destroy'])) return false
  if (!/\s(?:sync|rsync)\s/.test(command) || effects.filter(({ kind }) => kind === 'cloud.destroy').length !== 1)
    return false
  const read = effects.filter(({ kind }) => kind === 'fs.read').flatMap(({ targets }) => targets)
  const sent = effects.filter(({ kind }) => kind === 'net.send').flatMap(({ targets }) => targets)
  const isBuilt = (one: Target): boolean => one.type === 'path' && one.zone === 'workspace' && BUILT.test(one.path)
  return (
    read.length > 0 &&
    read.every(isBuilt) &&
    sent.length > 0 &&
    sent.every((one) => one.type === 'resource' && says([SYNCS, [`=${one.name.toLowerCase().replace(/\/$/, '')}`]]))
  )
}

/** A branch that was put on another base, pushed where git refuses if others have pushed. */
const isRebased = ({ effects, command }: AskedCall, says: Says): boolean => {
  const rewrites = effects.filter(({ kind }) => kind === 'vcs.rewrite')
  return (
    rewrites.every(({ traits, targets }) => traits.length === 0 && targets.length === 1) &&
    /--force-with-lease(?=$|[\s;&|])/.test(command) &&
    !/\s(?:-d|--delete|-f|--force|--prune|--mirror)(?=$|\s)|\s[+:]\S/.test(command) &&
    (says([PUSHES, REBASED]) || (/--amend|--rebase|\brebase\b/.test(command) && says([PUSHES, [OWN]])))
  )
}

const PUBLISHES = stems('publish release veröffentliche publiziere publie publica pubblica publiceer')
const REGISTRIES = stems('npm pypi crates registry package packages rubygems nuget paket paquet paquete pacchetto')

/** A package of the project, where the person says to publish one: to the registry that the project has. */
const isReleased = ({ effects, command }: AskedCall, says: Says): boolean =>
  onlyHas(effects, ['exec.run', 'package.publish', 'net.send']) &&
  !/:\/\/|--(?:registry|repository|index|source)\b/.test(command) &&
  says([PUBLISHES, REGISTRIES])

const ASKED: Readonly<Partial<Record<Effect['kind'], (call: AskedCall, says: Says) => boolean>>> = {
  persistence: (call, says) => [isScheduled, isHook, isTimed].some((is) => is(call, says)),
  'fs.delete': isDeleted,
  'cloud.destroy': isSynced,
  'vcs.rewrite': isRebased,
  'package.publish': isReleased,
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** A call by what it is given: a command line, or a file with its whole content. */
export const askedCall = (input: JsonObject, effects: readonly Effect[]): AskedCall => {
  const written = textOf(input['content'])
  return { effects, command: textOf(input['command']) ?? '', ...(written === undefined ? {} : { written }) }
}

/** The acts of a call that the person asked for in so many words: what is done, and to what. */
export const askedRows = (call: AskedCall, says: Says): readonly TargetOrigin[] =>
  [...new Set(call.effects.flatMap(({ kind }) => (ASKED[kind] === undefined ? [] : [kind])))].flatMap(
    (kind): readonly TargetOrigin[] =>
      ASKED[kind]?.(call, says) === true
        ? [{ effect: kind, role: 'act', target: (call.command || (call.written ?? '')).slice(0, 64), origin: 'person' }]
        : [],
  )
