import type { Target } from '../../../protocol/evidence.ts'
import type { Names } from '../guard/guard-rules.ts'
import type { Call } from '../engine/call.ts'
import { leadsElsewhere } from '../engine/lead-variables.ts'
import type { PathTarget } from '../places/paths.ts'
import { type Field, fieldOf, literal, visible } from '../values/field.ts'
import { isKnown } from '../values/value.ts'
import { words } from '../values/words.ts'

/** Programs whose words are texts, numbers or patterns, or that only show what listens and what runs. */
const ONLY_TEXT = new Set(
  words(`echo printf print grep egrep fgrep rg ag ack git sed awk gawk mawk seq head tail cut tr sort wc sleep true
    false test [ [[ expr bc dc cat less more ls stat find fd date cal lsof ss netstat ps pgrep pidof top htop export
    declare local set unset cd pushd type which command man help info tldr kill alias jq yq factor numfmt printenv
    read wait exit return sallyport`),
)

/** Interactive editors, and programs that only read the files they are given. */
const ONLY_LOOKS =
  /^(?:code|codium|cursor|windsurf|subl|zed|idea|webstorm|pycharm|charm|goland|open|xdg-open|explorer|gedit|kate|notepad|glow|mdcat|rich|delta|difft|diffoscope|icdiff|colordiff|vimdiff|gron|jless|fx|jsonlint|ajv|check-jsonschema|xxd|hexyl|vd|visidata|cloc|tokei|scc|shellcheck|eslint|yamllint|actionlint|taplo|md5|b3sum|b2sum|sum|cksum|exiftool|mediainfo|xclip|pbcopy|wl-copy|say|gh|glab|z|zoxide|autojump|ncdu|dust|duf|broot|ranger|yazi|nnn|lf|entr|watchexec|fswatch|inotifywait|getfattr|namei|pathchk|sha1|sha256|shasum|rhash|which|whereis|locate|[a-z]*sum)$/
/** Words and options of dry runs, and options with which formatters write. */
const CHECKS =
  /^(?:--(?:check|list-different|dry-run|diff|lint|validate|verify|no-write)|check|lint|validate|verify|get|show|view|diff|stat|status|list|ls|cat|info|select|query)$/
const FORMATTERS = /^(?:prettier|biome|dprint|oxfmt|jsonfmt|stylelint|markdownlint|remark|standard)$/
const CHANGES = /^(?:--(?:write|fix|in-place|apply|replace|overwrite)|-w|-i|fmt|format)$/

const onlyReads = (call: Call): boolean => {
  const texts = call.args.map(visible)
  if (ONLY_TEXT.has(call.name) || ONLY_LOOKS.test(call.name))
    return !texts.some((word) => /^--(?:fix|write)$/.test(word))
  if (FORMATTERS.test(call.name)) return !texts.some((word) => CHANGES.test(word))
  return texts.some((word) => CHECKS.test(word)) && !texts.some((word) => CHANGES.test(word))
}

/** The path in a word: all of it, or the part after `--option=`, `key=`, `@` or `file:`. */
const pathsIn = (field: Field): readonly Field[] => {
  const text = visible(field)
  const inner = /^(?:--?[\w-]+=|\w+=|@|file:(?:\/\/)?)(.+)$/.exec(text)?.[1]
  return inner === undefined ? [field] : [field, fieldOf({ ...field, texts: isKnown(field) ? [inner] : [] }, inner)]
}

const guardPath = (call: Call, field: Field, inGuard: boolean, names: Names): readonly PathTarget[] => {
  const text = visible(field)
  if (text === '' || text.length > 400 || /\s/.test(text) || text.startsWith('-') || !(inGuard || names.test(text)))
    return []
  const home = text.startsWith('~/') ? [literal(call.engine.paths.home + text.slice(1))] : [field]
  return call.paths(home, 'content')
}

/** Programs that take the names of files as text, or look at a file without its content. */
const NAMES_ONLY = new Set(
  words(`echo printf ls stat find fd test [ [[ export declare local set unset cd pushd popd mkdir type which command
    basename dirname realpath readlink du lsof fuser namei kill ps pgrep getfattr getfacl lsattr mountpoint locate
    tree`),
)

/** Words of a call that may be paths of the guard by their names, each with the option before it. */
const pathWords = (call: Call, names: Names): readonly { readonly field: Field; readonly option: string }[] =>
  call.args.flatMap((field, at) => {
    const text = visible(field)
    // A word names whatever a part of it names.
    if (!names.test(text)) return []
    const own = text.startsWith('-') ? /^(--?[\w-]+)=./.exec(text)?.[1] : undefined
    const before = call.args[at - 1] === undefined ? '' : visible(call.args[at - 1] as Field)
    const option = own ?? (before.startsWith('-') && /^-{1,2}[\w-]+$/.test(before) ? before : '')
    return pathsIn(field).map((one) => ({ field: one, option }))
  })

/** Options with the output path of a program. */
const WRITES_TO =
  /^(?:-[oO]|-t(?:arget)?|--?(?:[\w-]*-)?(?:out|outfile|output|outdir|logfile|target|dest|destination|prefix|root|directory-prefix)|--?(?:[\w-]*-)?(?:log|output|out|dest|target|report|save|export|dump|trace)-?(?:file|dir|path|to|destination)?|-Logfile)$/i
/** Programs that write to their second operand, or whose operands are the destinations of pieces. */
const SECOND_IS_OUTPUT =
  /^(?:uniq|xxd|split|iconv|pdftotext|ps2pdf|dos2unix|unix2dos|convert|magick|ffmpeg|cjpeg|djpeg)$/
/** For version control programs, paths are those of their own tree. */
const KEEPS_TREES = /^(?:git|hg|svn|jj|fossil|gh|glab)$/

/** Secrets of the guard whose content may be revealed by a program that does more than name them. */
const emitSecrets = (call: Call, targets: readonly PathTarget[]): void => {
  if (NAMES_ONLY.has(call.name)) return
  const secrets = targets.flatMap((target) => call.engine.guard.secretsAt(target, false))
  if (secrets.length > 0) call.emit('secret.read', secrets, { possible: true })
}

/** Interpreters: the use of a path in their code is analysed where the code is read. */
const RUNS_CODE =
  /^(?:node|bun|deno|tsx|ts-node|python|pypy|ruby|perl|php|lua|osascript|pwsh|powershell|(?:ba|z|da|k|fi|tc|c)?sh|source|\.|eval|exec|awk|gawk|java)$/

/** The paths in the row's effects of a call, and whether it runs another program, which is judged by itself. */
const knownEffects = (call: Call, before: number): { readonly paths: ReadonlySet<string>; readonly runs: boolean } => {
  const effects = call.engine.effects()
  return {
    paths: new Set(
      effects.flatMap(({ kind, targets }) =>
        kind === 'secret.read' ? [] : targets.flatMap((one) => (one.type === 'path' ? [one.path] : [])),
      ),
    ),
    runs: effects.slice(before).some(({ kind, by }) => kind === 'exec.run' && by !== call.name),
  }
}

/**
 * Emits possible effects of a known program on files of the guard and settings of hosts, in addition to its row's: a
 * row covers the options of daily work, and a path that it ignores may be written.
 * @param before how many effects were known before its row ran
 */
export const emitGuardFiles = (call: Call, before: number): void => {
  if (call.args.length === 0) return
  if (call.name !== 'git' && isHostCopy(call) && !hasEmittedTamper(call, before)) emitHostCopy(call)
  const { guard } = call.engine
  const names = guard.names()
  const found = pathWords(call, names)
  if (found.length === 0) return
  const texts = call.args.map(visible).filter((word) => !word.startsWith('-'))
  const isExempt =
    ONLY_TEXT.has(call.name) || NAMES_ONLY.has(call.name) || KEEPS_TREES.test(call.name) || RUNS_CODE.test(call.name)
  const touched: PathTarget[] = []
  let known: ReturnType<typeof knownEffects> | undefined
  for (const { field, option } of found) {
    const targets = guardPath(call, field, false, names)
    if (targets.length === 0) continue
    emitSecrets(call, targets)
    const settings = targets.filter((target) => guard.isSettings(target))
    const isOutput =
      (WRITES_TO.test(option) && !ONLY_TEXT.has(call.name)) ||
      (SECOND_IS_OUTPUT.test(call.name) && texts.indexOf(visible(field)) > 0)
    if (isOutput) touched.push(...settings)
    else if (settings.length > 0 && !isExempt && !(known ??= knownEffects(call, before)).runs)
      touched.push(...settings.filter(({ path }) => known?.paths.has(path) !== true))
  }
  if (touched.length > 0) call.emit('guard.tamper', touched, { possible: true })
}

/** An unknown program may write to the files it is given. */
const emitFiles = (call: Call): void => {
  const { guard, paths } = call.engine
  if (onlyReads(call)) {
    const names = guard.names()
    return emitSecrets(
      call,
      pathWords(call, names).flatMap(({ field }) => guardPath(call, field, false, names)),
    )
  }
  const names = guard.names()
  const inGuard = call.state.cwds.some(
    (cwd) => cwd !== undefined && names.test(cwd) && guard.isNear(paths.resolve('.', cwd, 'content').path),
  )
  const met = call.args.flatMap(pathsIn).flatMap((field) => guardPath(call, field, inGuard, names))
  const touched = met.filter((target) => guard.isSettings(target))
  if (touched.length > 0) return call.emit('guard.tamper', touched, { possible: true })
  const around = met.find(({ path, zone }) => zone !== 'unresolved' && guard.isNear(path))
  if (around !== undefined)
    call.emit('unresolved', [{ type: 'unknown', raw: `${call.name} ${around.raw}` }], { traits: ['runner'] })
}

const FILE_NAME = /\.(?:[jt]sx?|[cm]js|py|go|rs|cc?|cpp|h|java|md|json|ya?ml|txt|rb|php|css|html?|log|toml)$/i

/** Addresses of the guard in a word: of a URL, a forward such as `9000:127.0.0.1:4775`, `TCP-LISTEN:4775`. */
const addressesIn = (call: Call, text: string): readonly string[] => {
  if (!text.includes(':')) return []
  return [...text.matchAll(/(\[[\da-f:.]+\]|[\w.-]*):(\d{1,5}(?:-\d{1,5})?)(?![\w.])/gi)].flatMap(
    ([address, host = '']) => (!FILE_NAME.test(host) && call.engine.guard.addresses.reached(address) ? [address] : []),
  )
}

const TAKES_PORT =
  /^(?:-[pPlLDR]|--?(?:[\w-]+-)?(?:ports?|listen|bind|lport|dport|sport|publish|addr(?:ess)?)|dport|sport|port)$/i
const GLUED_PORT = /^(?:-[pPlD]|--?(?:[\w-]+-)?(?:ports?|listen|bind|publish)=|(?:\w*_)?port=)(\d[\d,:-]*)(?:\/\w+)?$/i
const SPEAKS =
  /serv|listen|proxy|forward|tunnel|https?(?:$|[-._])|sock|kill|(?:^|[-_.:])port|^nc$|^ncat$|netcat|telnet|nmap|masscan|rustscan/i

/** Programs that probe many ports without sending data. */
const SCANS = /^(?:nmap|masscan|rustscan|zmap|naabu)$/
const WIDE = 500

const isWide = (ports: string): boolean =>
  ports.split(',').some((part) => {
    const [from = '', to = from] = part.split('-')
    return Number(to) - Number(from) > WIDE
  })

const isPort = (call: Call, text: string): boolean => {
  const number = /^(?:tcp:|:)?(\d[\d,-]*)(?:\/(?:tcp|udp))?$/.exec(text)?.[1]
  const published = /^(?:\d+(?:\.\d+){3}:)?(\d{1,5}):\d{1,5}(?:\/\w+)?$/.exec(text)?.[1]
  const port = number ?? published
  if (port === undefined || (SCANS.test(call.name) && isWide(port))) return false
  return call.engine.guard.addresses.covers(port)
}

/** Ports of the guard that a program is given to listen on, to close or to reach. */
const portsIn = (call: Call, texts: readonly string[]): readonly string[] => {
  let speaks: boolean | undefined
  const mayListen = (): boolean =>
    (speaks ??= SPEAKS.test(call.name) || texts.some((word) => word.length < 40 && SPEAKS.test(word)))
  return texts.filter((word, at) => {
    if (!/\d/.test(word)) return false
    const glued = GLUED_PORT.exec(word)?.[1]
    if (glued !== undefined)
      return call.engine.guard.addresses.covers(glued) && !(SCANS.test(call.name) && isWide(glued))
    return isPort(call, word) && (TAKES_PORT.test(texts[at - 1] ?? '') || mayListen())
  })
}

const FIREWALL = /^(?:ip6?tables(?:-\w+)?|nft|ufw|firewall-cmd|pfctl|ebtables|ipfw|tc|shorewall|netsh)$/

/** Any relevant port or range of ports is at least this long. */
const NUMBER = /\d{3}/

const hasNumber = (field: Field): boolean => NUMBER.test(visible(field))

/** Variables of a program that name a port of the guard. */
const portVariables = (call: Call): readonly string[] => {
  const found: string[] = []
  for (const [name, value] of call.environment())
    if (name.endsWith('PORT') && value.texts.some((text) => call.engine.guard.addresses.covers(text))) found.push(name)
  return found
}

const emitPorts = (call: Call, isKnownProgram: boolean): void => {
  const { addresses } = call.engine.guard
  const set = portVariables(call)
  // An unknown program may take instructions from its input.
  const given =
    isKnownProgram && !FIREWALL.test(call.name) ? [] : (call.stdin?.texts ?? []).map((text) => text.slice(0, 2_000))
  if (set.length === 0 && !call.args.some(hasNumber) && !given.some((text) => NUMBER.test(text))) return
  const texts = call.args.map(visible).filter((text) => text.length < 300)
  const found = FIREWALL.test(call.name)
    ? [...texts, ...given].filter(
        (word) => word.split(/[\s=]+/).some((part) => addresses.covers(part)) || addresses.named(word),
      )
    : [
        ...texts.filter((text) => call.name === 'ssh' || !/\s/.test(text)).flatMap((text) => addressesIn(call, text)),
        ...given.flatMap((text) => addressesIn(call, text)),
        ...portsIn(call, texts),
        ...set,
      ]
  if (found.length > 0)
    call.emit(
      'guard.tamper',
      found.slice(0, 3).map((name): Target => ({ type: 'resource', name })),
    )
}

/** Programs that suspend, slow down or inspect a running process, given by its id. */
const HOLDS =
  /^(?:renice|ionice|cpulimit|taskset|chrt|prlimit|gdb|lldb|gcore|strace|ltrace|reptyr|criu|rr|nsenter|cgclassify|kill-?port|fkill)$/

const emitProcesses = (call: Call): void => {
  if (!HOLDS.test(call.name)) return
  const held = call.args.filter((field) => call.engine.guard.program.owns(field))
  if (held.length > 0)
    call.emit(
      'guard.tamper',
      held.map((field): Target => ({ type: 'resource', name: visible(field) })),
    )
}

/** Programs that transfer whole folders, or pack them into one file. */
const CARRIES =
  /^(?:restic|borg|borgmatic|duplicity|duplicacy|kopia|rdiff-backup|tarsnap|bup|aws|gsutil|gcloud|azcopy|az|s3cmd|s4cmd|s5cmd|mc|b2|croc|wormhole|magic-wormhole|ffsend|dar|pax|shar|mksquashfs|genisoimage|mkisofs|xorriso|makeself|zpaq|syncthing|unison|docker-cp|ipfs|repomix|code2prompt|gitingest|files-to-prompt)$/

const emitTrees = (call: Call): void => {
  if (!CARRIES.test(call.name)) return
  const folders = call.args.filter((field) => /^(?:\/|~|\.)/.test(visible(field)))
  const met = call.paths(folders, 'content').flatMap((one) => call.engine.guard.secretsAt(one, true))
  if (met.length > 0) call.emit('secret.read', met, { traits: ['recursive'] })
}

/** Programs that type for the person, and the words that make them do so. */
const TYPING: ReadonlyMap<string, RegExp> = new Map([
  ...words('xdotool ydotool dotool wtype xte cliclick').map((name) => [name, /./] as const),
  ...words('kitty kitten').map((name) => [name, /(?:^| )send-(?:text|key)/] as const),
  ['wezterm', /(?:^| )send-text/],
  ['zellij', /(?:^| )write(?:-chars)?(?: |$)/],
  ['screen', /(?:^| )stuff(?: |$)/],
  ['osascript', /\bkeystroke\b|\bkey code\b/],
])

/** Programs that send keys to any window or terminal, including the one in which a person is asked. */
const emitTyping = (call: Call): void => {
  if (TYPING.get(call.name)?.test(call.args.map(visible).join(' ')) === true)
    call.engine.gap('runner', `keys typed by ${call.name}`, call.name, call.place)
}

/** Switches of agent hosts that leave out their settings, or the person's questions, and words that start a run. */
const UNGUARDED = new Set(
  words('--bare --safe-mode --dangerously-skip-permissions --allow-dangerously-skip-permissions'),
)
const RUNS_PROMPT = /^(?:-p|--print|exec)$/

/** Whether any program is started like an agent host, without its guard. */
const isHostCopy = ({ args }: Call): boolean =>
  args.some((field) => UNGUARDED.has(visible(field))) && args.some((field) => RUNS_PROMPT.test(visible(field)))

const hasEmittedTamper = ({ engine }: Call, before: number): boolean =>
  engine
    .effects()
    .slice(before)
    .some(({ kind }) => kind === 'guard.tamper')

const emitHostCopy = (call: Call): void =>
  call.emit('guard.tamper', [{ type: 'command', name: call.name }], { possible: true })

/** `ss -K` closes connections, `loginctl` ends everything a person runs, `node inspect -p` attaches to a process. */
const emitEnding = (call: Call): void => {
  if (!/^(?:ss|loginctl|node)$/.test(call.name)) return
  const texts = call.args.map(visible)
  const closes =
    call.name === 'ss' &&
    call.options.has('-K', '--kill') &&
    texts.some((word) => call.engine.guard.addresses.covers(word.replace(/^.*:/, '')))
  const ends = call.name === 'loginctl' && /^(?:kill|terminate)-(?:user|session|seat)$/.test(texts[0] ?? '')
  const inspects =
    call.name === 'node' &&
    texts[0] === 'inspect' &&
    texts.some((word) => word === '-p' || word === '--pid') &&
    call.args.some((field) => call.engine.guard.program.owns(field))
  if (closes || ends || inspects) call.emit('guard.tamper', [{ type: 'resource', name: texts.slice(0, 3).join(' ') }])
}

const REMOVES = /^(?:uninstall|remove|rm|un|unlink|purge|erase|delete)$/
const OWN_PACKAGE = /^(?:@sallyport\/[\w-]+|sallyport)(?:@.*)?$/i

/** The guard's program is removed by any package manager, or the variables it starts with are changed. */
const emitRemoval = (call: Call): void => {
  const isEnvironment = call.name === 'dbus-update-activation-environment'
  if (ONLY_TEXT.has(call.name) || !(isEnvironment || call.args.some((field) => /sallyport/i.test(visible(field)))))
    return
  const texts = call.args.map(visible)
  const verb = texts.findIndex((word) => REMOVES.test(word))
  const removes = verb >= 0 && texts.slice(verb + 1).some((word) => OWN_PACKAGE.test(word))
  const leads = isEnvironment && texts.some((word) => leadsElsewhere(word.replace(/=[^]*$/, '')))
  if (removes || leads) call.emit('guard.tamper', [{ type: 'command', name: call.name }])
}

/**
 * Emits effects of any program's arguments on the guard: its ports, its process, and for an unknown program its files.
 */
export const emitGuardArguments = (call: Call, isKnownProgram: boolean): void => {
  if (call.args.length === 0 && call.environment().size === 0) return
  if (!isKnownProgram || (call.name === 'python' && call.options.has('-m'))) emitFiles(call)
  if (!isKnownProgram && isHostCopy(call)) emitHostCopy(call)
  emitTyping(call)
  emitEnding(call)
  emitProcesses(call)
  emitTrees(call)
  emitRemoval(call)
  if (!ONLY_TEXT.has(call.name) || (call.name === 'ss' && call.options.has('-K', '--kill')))
    emitPorts(call, isKnownProgram)
}
