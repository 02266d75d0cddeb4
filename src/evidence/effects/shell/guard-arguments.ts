import type { Target } from '../../../protocol/evidence.ts'
import type { Call } from '../commands/command.ts'
import { leadsElsewhere } from '../lead-variables.ts'
import type { PathTarget } from '../paths.ts'
import { type Field, fieldOf, literal, visible } from './field.ts'
import { isKnown } from '../value.ts'

/** Programs whose words are texts, numbers or patterns, or that only show what listens and what runs. */
const ONLY_TEXT = new Set(
  `echo printf print grep egrep fgrep rg ag ack git sed awk gawk mawk seq head tail cut tr sort wc sleep true false test [ [[ expr bc dc
  cat less more ls stat find fd date cal lsof ss netstat ps pgrep pidof top htop export declare local set unset cd pushd type which
  command man help info tldr kill alias jq yq factor numfmt printenv read wait exit return sallyport`.split(/\s+/),
)

/** Editors that a person sits at, and programs that only read the files they are given. */
const ONLY_LOOKS =
  /^(?:code|codium|cursor|windsurf|subl|zed|idea|webstorm|pycharm|charm|goland|open|xdg-open|explorer|gedit|kate|notepad|glow|mdcat|rich|delta|difft|diffoscope|icdiff|colordiff|vimdiff|gron|jless|fx|jsonlint|ajv|check-jsonschema|xxd|hexyl|vd|visidata|cloc|tokei|scc|shellcheck|eslint|yamllint|actionlint|taplo|md5|b3sum|b2sum|sum|cksum|exiftool|mediainfo|xclip|pbcopy|wl-copy|say|gh|glab|z|zoxide|autojump|ncdu|dust|duf|broot|ranger|yazi|nnn|lf|entr|watchexec|fswatch|inotifywait|getfattr|namei|pathchk|sha1|sha256|shasum|rhash|which|whereis|locate|[a-z]*sum)$/
/** Words and options by which a program says that it changes nothing, and by which formatters say that they do. */
const CHECKS =
  /^(?:--(?:check|list-different|dry-run|diff|lint|validate|verify|no-write)|check|lint|validate|verify|get|show|view|diff|stat|status|list|ls|cat|info|select|query)$/
const FORMATTERS = /^(?:prettier|biome|dprint|oxfmt|jsonfmt|stylelint|markdownlint|remark|standard)$/
const CHANGES = /^(?:--(?:write|fix|in-place|apply|replace|overwrite)|-w|-i|fmt|format)$/

const onlyReads = (call: Call): boolean => {
  const words = call.args.map(visible)
  if (ONLY_TEXT.has(call.name) || ONLY_LOOKS.test(call.name))
    return !words.some((word) => /^--(?:fix|write)$/.test(word))
  if (FORMATTERS.test(call.name)) return !words.some((word) => CHANGES.test(word))
  return words.some((word) => CHECKS.test(word)) && !words.some((word) => CHANGES.test(word))
}

/** The path that a word may hold: all of it, or what stands behind `--option=`, `key=`, `@` or `file:`. */
const pathsIn = (field: Field): readonly Field[] => {
  const text = visible(field)
  const inner = /^(?:--?[\w-]+=|\w+=|@|file:(?:\/\/)?)(.+)$/.exec(text)?.[1]
  return inner === undefined ? [field] : [field, fieldOf({ ...field, texts: isKnown(field) ? [inner] : [] }, inner)]
}

const guardPath = (call: Call, field: Field, inGuard: boolean, names: RegExp): readonly PathTarget[] => {
  const text = visible(field)
  if (text === '' || text.length > 400 || /\s/.test(text) || text.startsWith('-') || !(inGuard || names.test(text)))
    return []
  const home = text.startsWith('~/') ? [literal(call.engine.paths.home + text.slice(1))] : [field]
  return call.paths(home, 'content')
}

/** A program of which nothing is known may write to the files it is given. */
const tellFiles = (call: Call): void => {
  if (onlyReads(call)) return
  const { guard, paths } = call.engine
  const { names } = guard
  const inGuard = call.state.cwds.some(
    (cwd) => cwd !== undefined && names.test(cwd) && guard.isNear(paths.resolve('.', cwd, 'content').path),
  )
  const given = call.args.flatMap(pathsIn).flatMap((field) => guardPath(call, field, inGuard, names))
  const touched = given.filter((target) => guard.isSettings(target))
  if (touched.length > 0) return call.emit('guard.tamper', touched, { possible: true })
  const around = given.find(({ path, zone }) => zone !== 'unresolved' && guard.isNear(path))
  if (around !== undefined)
    call.emit('unresolved', [{ type: 'unknown', raw: `${call.name} ${around.raw}` }], { traits: ['runner'] })
}

const FILE_NAME = /\.(?:[jt]sx?|[cm]js|py|go|rs|cc?|cpp|h|java|md|json|ya?ml|txt|rb|php|css|html?|log|toml)$/i

/** Addresses of the guard in a word: of a URL, a forward such as `9000:127.0.0.1:4775`, `TCP-LISTEN:4775`. */
const addressesIn = (call: Call, text: string): readonly string[] =>
  [...text.matchAll(/(\[[\da-f:.]+\]|[\w.-]*):(\d{1,5}(?:-\d{1,5})?)(?![\w.])/gi)].flatMap(([address, host = '']) =>
    !FILE_NAME.test(host) && call.engine.guard.addresses.reached(address) ? [address] : [],
  )

const TAKES_PORT =
  /^(?:-[pPlLDR]|--?(?:[\w-]+-)?(?:ports?|listen|bind|lport|dport|sport|publish|addr(?:ess)?)|dport|sport|port)$/i
const GLUED_PORT = /^(?:-[pPlD]|--?(?:[\w-]+-)?(?:ports?|listen|bind|publish)=|(?:\w*_)?port=)(\d[\d,:-]*)(?:\/\w+)?$/i
const SPEAKS =
  /serv|listen|proxy|forward|tunnel|https?(?:$|[-._])|sock|kill|(?:^|[-_.:])port|^nc$|^ncat$|netcat|telnet|nmap|masscan|rustscan/i

/** Programs that knock at many ports and say nothing there. */
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
const portsIn = (call: Call, words: readonly string[]): readonly string[] => {
  const speaks = SPEAKS.test(call.name) || words.some((word) => word.length < 40 && SPEAKS.test(word))
  return words.filter((word, at) => {
    const glued = GLUED_PORT.exec(word)?.[1]
    if (glued !== undefined)
      return call.engine.guard.addresses.covers(glued) && !(SCANS.test(call.name) && isWide(glued))
    return isPort(call, word) && (speaks || TAKES_PORT.test(words[at - 1] ?? ''))
  })
}

const FIREWALL = /^(?:ip6?tables(?:-\w+)?|nft|ufw|firewall-cmd|pfctl|ebtables|ipfw|tc|shorewall|netsh)$/

/** No port and no range of ports that matters is shorter. */
const NUMBER = /\d{3}/

const hasNumber = (field: Field): boolean => NUMBER.test(visible(field))

const tellPorts = (call: Call, isKnownProgram: boolean): void => {
  const { addresses } = call.engine.guard
  const set = [...call.environment].filter(
    ([name, value]) => name.endsWith('PORT') && value.texts.some((text) => addresses.covers(text)),
  )
  // A program that is not known takes its orders from what is piped into it.
  const given =
    isKnownProgram && !FIREWALL.test(call.name) ? [] : (call.stdin?.texts ?? []).map((text) => text.slice(0, 2_000))
  if (set.length === 0 && !call.args.some(hasNumber) && !given.some((text) => NUMBER.test(text))) return
  const words = call.args.map(visible).filter((text) => text.length < 300)
  const found = FIREWALL.test(call.name)
    ? [...words, ...given].filter(
        (word) => word.split(/[\s=]+/).some((part) => addresses.covers(part)) || addresses.named(word),
      )
    : [
        ...words.filter((text) => call.name === 'ssh' || !/\s/.test(text)).flatMap((text) => addressesIn(call, text)),
        ...given.flatMap((text) => addressesIn(call, text)),
        ...portsIn(call, words),
        ...set.map(([name]) => name),
      ]
  if (found.length > 0)
    call.emit(
      'guard.tamper',
      found.slice(0, 3).map((name): Target => ({ type: 'resource', name })),
    )
}

/** Programs that hold, slow down or look into a running process that they are given by its id. */
const HOLDS =
  /^(?:renice|ionice|cpulimit|taskset|chrt|prlimit|gdb|lldb|gcore|strace|ltrace|reptyr|criu|rr|nsenter|cgclassify|kill-?port|fkill)$/

const tellProcesses = (call: Call): void => {
  if (!HOLDS.test(call.name)) return
  const held = call.args.filter((field) => call.engine.guard.program.owns(field))
  if (held.length > 0)
    call.emit(
      'guard.tamper',
      held.map((field): Target => ({ type: 'resource', name: visible(field) })),
    )
}

/** Programs that carry away, or put into one file, whole folders that they are given. */
const CARRIES =
  /^(?:restic|borg|borgmatic|duplicity|duplicacy|kopia|rdiff-backup|tarsnap|bup|aws|gsutil|gcloud|azcopy|az|s3cmd|s4cmd|s5cmd|mc|b2|croc|wormhole|magic-wormhole|ffsend|dar|pax|shar|mksquashfs|genisoimage|mkisofs|xorriso|makeself|zpaq|syncthing|unison|docker-cp|ipfs|repomix|code2prompt|gitingest|files-to-prompt)$/

const tellTrees = (call: Call): void => {
  if (!CARRIES.test(call.name)) return
  const folders = call.args.filter((field) => /^(?:\/|~|\.)/.test(visible(field)))
  const met = call.paths(folders, 'content').flatMap((one) => call.engine.guard.secretsAt(one, true))
  if (met.length > 0) call.emit('secret.read', met, { traits: ['recursive'] })
}

const REMOVES = /^(?:uninstall|remove|rm|un|unlink|purge|erase|delete)$/
const OWN_PACKAGE = /^(?:@sallyport\/[\w-]+|sallyport)(?:@.*)?$/i

/** The guard's program is taken away by whichever manager of packages, or the variables it starts with are led elsewhere. */
const tellRemoval = (call: Call): void => {
  const isEnvironment = call.name === 'dbus-update-activation-environment'
  if (ONLY_TEXT.has(call.name) || !(isEnvironment || call.args.some((field) => /sallyport/i.test(visible(field)))))
    return
  const words = call.args.map(visible)
  const verb = words.findIndex((word) => REMOVES.test(word))
  const removes = verb >= 0 && words.slice(verb + 1).some((word) => OWN_PACKAGE.test(word))
  const leads = isEnvironment && words.some((word) => leadsElsewhere(word.replace(/=[^]*$/, '')))
  if (removes || leads) call.emit('guard.tamper', [{ type: 'command', name: call.name }])
}

/**
 * Says what the arguments of a program do to the guard, whichever program it is: its ports among them, its process, and
 * for a program that is not known its files.
 */
export const tellGuardArguments = (call: Call, isKnownProgram: boolean): void => {
  if (call.args.length === 0 && call.environment.size === 0) return
  if (!isKnownProgram || (call.name === 'python' && call.options.has('-m'))) tellFiles(call)
  tellProcesses(call)
  tellTrees(call)
  tellRemoval(call)
  if (!ONLY_TEXT.has(call.name) || (call.name === 'ss' && call.options.has('-K', '--kill')))
    tellPorts(call, isKnownProgram)
}
