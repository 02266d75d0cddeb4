import { getDomain } from 'tldts'
import type { Target } from '../../../protocol/evidence.ts'
import { hostOf } from '../places/hosts.ts'
import { USUAL_PACKAGE_HOSTS, isUsual } from '../places/package-hosts.ts'
import { type Field, visible } from '../values/field.ts'
import { isKnown } from '../values/value.ts'
import type { Call } from '../engine/call.ts'
import { words } from '../values/words.ts'

const OPTIONS = words('--index-url --extra-index-url --default-index --index --find-links --registry --source --from')
const VARIABLES = /^(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:DEFAULT_|EXTRA_)?INDEX(?:_URL)?|npm_config_registry|GOPROXY)$/i
/** Words that set the index permanently, before its address. */
const SETS =
  /^(?:config set (?:(?:--?\w[\w-]*|-g) )*(?:\S*:)?(?:registry|npmregistryserver|[\w-]+\.(?:extra-)?index-url)[ =]|config (?:set )?mirror\.|sources? (?:add|-a)\b|sources$|repositories\.|env\b)/i
/** Only shows packages, or has a rule of its own. */
const LOOKS =
  /^(?:view|info|show|ls|list|search|ping|whoami|login|logout|outdated|audit|publish|version|config (?:get|list))\b/

/** Hosts of Go modules besides code hosts. */
const GO_HOSTS =
  /(?:^|\.)(?:golang\.org|google\.com|google\.golang\.org|k8s\.io|sigs\.k8s\.io|gopkg\.in|uber\.org|honnef\.co|mvdan\.cc|rsc\.io|gorm\.io|entgo\.io|modernc\.org|connectrpc\.com|buf\.build|opentelemetry\.io|gotest\.tools|etcd\.io|mongodb\.org|charm\.(?:sh|land)|dagger\.io|tinygo\.org|filippo\.io|cuelang\.org|temporal\.io|gitea\.com|codeberg\.org|sr\.ht|example\.org)$/

/** A Go module by its path, from a host that is neither a code host nor known for its modules. */
const isStrangeModule = (text: string): boolean => {
  const host = /^([a-z\d-]+(?:\.[a-z\d-]+)+)\/[^\s@]+(?:@\S+)?$/i.exec(text)?.[1]
  return host !== undefined && !USUAL_PACKAGE_HOSTS.has(getDomain(host) ?? host) && !GO_HOSTS.test(host)
}

const isStrange = (field: Field): boolean =>
  !isKnown(field) || field.texts.some((text) => /^(?:git\+)?https?:\/\//i.test(text) && !isUsual(text))

/** Addresses among the operands: `https://…/a.tgz`, `a @ git+https://…`, `registry=https://…`. */
const addresses = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(
    (field) => /(?:^|[=@\s])((?:git\+)?(?:https?|ssh|git):\/\/[^\s]{1,2000})$/i.exec(visible(field))?.[1] ?? [],
  )

/**
 * Emits that a program that is fetched and run at once comes from an unusual address, by its name or an option before
 * it.
 */
export const emitRunSources = (call: Call, args: readonly Field[]): void => {
  const first = args.findIndex((field, at) => !isOptionOrValue(args, at))
  const own = first < 0 ? args : args.slice(0, first + 1)
  const strange = [
    ...addresses(own).filter((text) => !isUsual(text)),
    ...(call.name === 'go' ? own.map(visible).filter(isStrangeModule) : []),
  ]
  if (strange.length > 0)
    call.emit(
      'package.source',
      strange.map((text) => hostOf(text.replace(/^git\+/, '')) ?? { type: 'unknown', raw: text }),
    )
}

const isOptionOrValue = (args: readonly Field[], at: number): boolean => {
  const before = args[at - 1]
  const text = visible(args[at]!)
  return (
    text.startsWith('-') ||
    (before !== undefined && /^(?:-p|--package|--from|--with|--spec|--python|--index-url|--git)$/.test(visible(before)))
  )
}

/** Emits that packages come from an unusual source, by option, variable, setting or address. */
export const emitSources = (call: Call, installs: boolean): void => {
  const line = call.options.operands.map(visible).join(' ')
  if (LOOKS.test(line)) return
  const short = /^(?:pip|pip3|uv|pipenv)$/.test(call.name) ? ['-i'] : /^gem$/.test(call.name) ? ['-s'] : []
  const given = call.options.get(...OPTIONS, ...short).filter(isStrange)
  const set = [...call.environment()].flatMap(([name, value]) =>
    VARIABLES.test(name) ? value.texts.filter((text) => /^https?:/i.test(text) && !isUsual(text)) : [],
  )
  const named = installs || SETS.test(line) ? addresses(call.args).filter((text) => !isUsual(text)) : []
  const modules = call.name === 'go' && installs ? call.options.operands.map(visible).filter(isStrangeModule) : []
  const adds = call.name === 'gem' ? call.options.get('--add', '-a').filter(isStrange) : []
  const sources: readonly Target[] = [...given.map(visible), ...set, ...named, ...modules, ...adds.map(visible)].map(
    (text) => hostOf(text.replace(/^git\+/, '')) ?? { type: 'unknown', raw: text },
  )
  if (sources.length > 0) call.emit('package.source', sources)
}
