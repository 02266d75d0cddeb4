import type { Target } from '../../../protocol/evidence.ts'
import { loadsFile } from '../node-options.ts'
import { type Field, visible } from '../shell/field.ts'
import type { Call } from './command.ts'

/** The guard's package, with a version, an alias or a file in its name. */
const OWN = /(?:^|[/@])(?:@sallyport\/)?sallyport(?:-[\w.]+)?(?:@.*|\.tgz|$)/i
const REMOVES = /^(?:uninstall|unlink|un|rm|r|remove|del|delete|erase|purge|zap|autoremove)$/
const EVERYWHERE = /^(?:-g|--global|--location=global|global)$/

const named = (fields: readonly Field[]): readonly Target[] =>
  fields.map((field) => ({ type: 'resource', name: visible(field) }))

/** Says that a package manager takes the guard's program away, or puts another in its place. */
export const tellGuardPackage = (call: Call, verb: string, rest: readonly Field[]): void => {
  const [first, ...behind] = rest
  // `yarn global remove x`, `pipx`: the verb is the second word.
  const isGlobal = verb === 'global' && first !== undefined
  const [does, packages] = isGlobal ? [visible(first), behind] : [verb, rest]
  const own = packages.filter((field) => OWN.test(visible(field)))
  if (own.length === 0) return
  const everywhere = isGlobal || call.args.some((field) => EVERYWHERE.test(visible(field)))
  const replaces = everywhere && /^(?:i|install|add|in|update|up|upgrade|link|downgrade)$/.test(does)
  if (REMOVES.test(does) || replaces) call.emit('guard.tamper', named(own))
}

/** `npm config set node-options …`. */
export const tellNodeOptions = (call: Call, verb: string, rest: readonly Field[]): void => {
  const words = rest.map(visible)
  const given =
    verb === 'set' ? words : verb === 'config' && /^(?:set|--set)$/.test(words[0] ?? '') ? words.slice(1) : []
  const text = given.join(' ')
  if (/^node[-_]options\b/i.test(text) && loadsFile(text.replace(/^node[-_]options/i, '')))
    call.emit('guard.tamper', named(rest))
}
