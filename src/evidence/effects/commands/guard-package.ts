import { loadsFile } from '../places/node-options.ts'
import { type Field, literal, visible, resourcesOf } from '../values/field.ts'
import type { Call } from '../engine/call.ts'

/** The guard's package, with a version, an alias or a file in its name. */
const OWN = /(?:^|[/@])(?:@sallyport\/)?sallyport(?:-[\w.]+)?(?:@.*|\.tgz|$)/i
const REMOVES = /^(?:uninstall|unlink|un|rm|r|remove|del|delete|erase|purge|zap|autoremove)$/
const EVERYWHERE = /^(?:-g|--global|--location=global|global)$/

const NODE_MANAGERS = /^(?:c?npm|pnpm|yarn|bun)$/
/** Verbs that add packages to a tree, or remove some. */
const CHANGES_TREE =
  /^(?:i|install|add|in|ci|clean-install|update|up|upgrade|link|it|install-test|prune|dedupe|ddp|rebuild|uninstall|unlink|un|rm|r|remove|audit)$/

/** The tree that the guard is installed in, where it is not a project that the session works on. */
const emitOwnTree = (call: Call, verb: string): void => {
  if (!NODE_MANAGERS.test(call.name) || !CHANGES_TREE.test(verb)) return
  if (call.args.some((field) => EVERYWHERE.test(visible(field)))) return
  // Options may also follow the verb.
  const prefix = call.args.flatMap((field, at): readonly Field[] => {
    const [, option, glued] = /^(--prefix|-C|--cwd|--dir)(?:=(.+))?$/.exec(visible(field)) ?? []
    if (option === undefined) return []
    return glued === undefined ? call.args.slice(at + 1, at + 2) : [literal(glued)]
  })
  const { guard, paths } = call.engine
  const places = prefix.length === 0 ? [literal('.')] : prefix
  const trees = call
    .paths(places, 'content')
    .filter(({ path, zone }) => zone !== 'workspace' && path !== paths.cwd && guard.holdsPackages(path))
  if (trees.length > 0) call.emit('guard.tamper', trees)
}

/** Emits that a package manager removes or replaces the guard's program. */
export const emitGuardPackage = (call: Call, verb: string, rest: readonly Field[]): void => {
  const [first, ...behind] = rest
  // `yarn global remove x`, `pipx`: the verb is the second word.
  const isGlobal = verb === 'global' && first !== undefined
  const [does, packages] = isGlobal ? [visible(first), behind] : [verb, rest]
  emitOwnTree(call, does)
  const own = packages.filter((field) => OWN.test(visible(field)))
  if (own.length === 0) return
  const everywhere = isGlobal || call.args.some((field) => EVERYWHERE.test(visible(field)))
  const replaces = everywhere && /^(?:i|install|add|in|update|up|upgrade|link|downgrade)$/.test(does)
  if (REMOVES.test(does) || replaces) call.emit('guard.tamper', resourcesOf(own))
}

/** `npm config set node-options …`. */
export const emitNodeOptions = (call: Call, verb: string, rest: readonly Field[]): void => {
  const words = rest.map(visible)
  const given =
    verb === 'set' ? words : verb === 'config' && /^(?:set|--set)$/.test(words[0] ?? '') ? words.slice(1) : []
  const text = given.join(' ')
  if (/^node[-_]options\b/i.test(text) && loadsFile(text.replace(/^node[-_]options/i, '')))
    call.emit('guard.tamper', resourcesOf(rest))
}
