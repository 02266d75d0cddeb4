import { isLoopback } from '../../../protocol/network-host.ts'
import type { EffectTrait } from '../../../protocol/evidence.ts'
import { hostOf } from '../places/hosts.ts'
import { type Field, visible } from '../values/field.ts'
import { isKnown } from '../values/value.ts'
import type { Call } from '../engine/call.ts'
import { namesProduction, namesThrowAway } from '../values/throw-away.ts'
import { words } from '../values/words.ts'

/** Verbs of removal. */
const REMOVES =
  /^(?:delete|destroy|purge|remove|rm|rb|drop|wipe|erase|nuke|terminate|undefine|unregister\w*|deleteall|rmr|del|truncate|flush|reset|obliterate|teardown|decommission|decom|rdelete|clean|clear|repave|reinstall)$/

/** Of those, verbs that are not used for small things. */
const WHOLLY = /^(?:destroy|nuke|obliterate|teardown|decommission|deleteall)$/

/** Things that store data or run for others: their content is lost with them. */
const HOLDS =
  /^(?:project|server|droplet|linode|instance|vm|volume|disk|bucket|db|database|cluster|nodegroup|nodepool|app|apps|application|site|stack|environment|namespace|org|organization|organisation|account|subscription|repo|repository|topic|queue|stream|index|indices|collection|table|keyspace|dataset|tenant|zones|pool|vault|backup|snapshot|archive|recovery|filesystem|vhost|exchange|registry|service|function|postgres|pg|mysql|redis|mongodb|kafka|storage|blob|objects|workspace)s?$/

const PLAIN = /^[a-z][\w:.-]*$/i

const partsOf = (text: string): readonly string[] => (PLAIN.test(text) ? text.toLowerCase().split(/[-:.]/) : [])

/**
 * The words of a command line that are verbs and nouns of its program, up to the verb of removal and the one after it:
 * names follow later. `delete-db-instance` is three words.
 */
const wordsOf = (call: Call): readonly string[] => {
  const texts = call.options.operands.map(visible).slice(0, 5)
  const verb = texts.findIndex((text) => partsOf(text).some((part) => REMOVES.test(part)))
  return texts.slice(0, verb < 0 ? texts.length : verb + 2).flatMap(partsOf)
}

/** Whether the words of a command line remove something that stores data or runs for others. */
export const losesMuch = (call: Call): boolean => {
  const texts = wordsOf(call)
  return texts.some((word) => WHOLLY.test(word)) || texts.some((word) => HOLDS.test(word))
}

/** Whether the words of a command line remove something. */
export const loses = (call: Call): boolean => wordsOf(call).some((word) => REMOVES.test(word))

/** The words of the arguments, including values after an equals sign. */
const argumentWords = (call: Call): readonly string[] =>
  call.args.map(visible).flatMap((text) => (text.startsWith('-') ? text.split('=').slice(1) : [text]))

/** Options that select the environment of a removal. */
const SCOPES: readonly string[] = words(`-n --namespace --context --kube-context --project --stack --stack-name -s
  --stage --env -e --environment -g --resource-group --name -a --app --cluster --workspace`)

/**
 * How much is lost: everything (`all`) if it stores data, if its name means that others rely on it, or if nobody knows
 * what it is. Not if everything lost can be recreated, by its name.
 * @param whole the removed thing stores data or runs for others
 */
export const lossOf = (call: Call, whole: boolean): readonly EffectTrait[] => {
  if (isOnThisMachine(call)) return []
  if (argumentWords(call).some(namesProduction)) return ['all']
  const unknownThing = call.options.operands.some((field) => !isKnown(field))
  if (!whole && !unknownThing) return []
  const scoped = call.options.get(...SCOPES)
  if (scoped.some((field) => isKnown(field) && field.texts.every(namesThrowAway))) return []
  const named = [...call.options.operands.slice(1), ...namesGiven(call)].filter(
    (field) => !isOwnPart(partsOf(visible(field))),
  )
  const spared = named.length > 0 && named.every((field) => isKnown(field) && field.texts.every(namesThrowAway))
  return spared ? [] : ['all']
}

/** Whether the command addresses a cloud emulator on this machine. */
export const isOnThisMachine = (call: Call): boolean =>
  call.options.get('--endpoint-url', '--endpoint').some((field) => {
    const host = hostOf(visible(field))?.host.replace(/:\d{1,5}$/, '')
    return isKnown(field) && host !== undefined && isLoopback(host)
  })

/** Kinds of things in a cluster, as they are written before their names. */
const KINDS =
  /^(?:ns|deploy(?:ments?)?|svc|cm|configmaps?|pvc?|persistentvolume(?:claim)?s?|sts|statefulsets?|ds|daemonsets?|rs|replicasets?|po|pods?|jobs?|cronjobs?|ing|ingress(?:es)?|secrets?|all|no|nodes?|crds?|chart|type)$/

/** Whether the parts of one word are verbs and nouns of the program, and no name. */
const isOwnPart = (parts: readonly string[]): boolean =>
  parts.length > 0 && (REMOVES.test(parts[0] ?? '') || parts.every(isOwnWord))

const isOwnWord = (word: string): boolean => REMOVES.test(word) || HOLDS.test(word) || KINDS.test(word)

/** Values of options that name a thing, regardless of the option's name. */
const namesGiven = (call: Call): readonly Field[] =>
  call.args.filter((_, at) => {
    const before = call.args[at - 1]
    return before !== undefined && /^--?[a-z-]*(?:name|names|id|ids|identifier|bucket|cluster)$/.test(visible(before))
  })
