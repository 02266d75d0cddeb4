import type { Effect } from '../../protocol/evidence.ts'
import type { StepOf } from '../../protocol/step.ts'
import { stringsOf } from './tainted-store.ts'

/** UTF-16 code units and lines of one result that are looked through. */
const LONGEST = 65_536
const MOST_LINES = 1_024
/** Values of one result that are remembered: a whole environment must not drive out what was seen before. */
const MOST_VALUES = 24
const SHORTEST = 10

/** A name and its value in a line of an env file, YAML, JSON or a table. */
const PAIR =
  /^[\s"'{,+|-]{0,32}(?:export\s{1,4})?["']?([A-Za-z][\w.-]{0,79})["']?\s{0,32}[:=|]\s{0,32}["']?([^\s"',|]{8,4096})/
const IN_JSON = /"([A-Za-z][\w.-]{0,79})"\s{0,8}:\s{0,8}"([^"\s]{8,4096})"/g

/** Patterns that are applied to whole texts, for the test of linear time. */
export const REVEALED_PATTERNS = { pair: PAIR, json: IN_JSON }

/** Names of values that are secrets in any form. */
const SECRET_NAME =
  /(?<!mon|tur|don|hoc)key(?!ring|board|word)|token|secret|pass(?!ive|ed|port)|pwd|cred|dsn|private|salt|webhook/i
/** Names of values that reveal nothing, in addition to those of services. */
const PLAIN_NAME =
  /version|host|url$|uri$|port|(?:^|[_.-])(?:id|uid|arn|name|namespace|kind|type|region|zone|bucket|email|user|username|path|dir|home|date|time|level|mode|env|status|state|project|org|owner|lease|request|shell|term|lang)(?:$|[_.-])/i
/** The same as one word of several in one. */
const PLAIN_END = /[a-z](?:Id|ID|Arn|ARN|Name|At|Date|Time|Timestamp|Version)s?$/
const PUBLIC_NAME = /public|publishable/i
const HAS_BOTH = /^(?=.*\d)(?=.*[A-Za-z])/
/** Paths, addresses without a password, names of hosts, dates, versions and numbers of things. */
const PLAIN_VALUE =
  /^(?:[/~.]|\w+:(?:path=)?\/(?!\/)|https?:\/\/[^@]*$|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,10}(?:[:/]|$)|\d{4}-\d\d-\d\d|v?\d+(?:\.\d+)+|[\w.+-]+@[\w.-]+$|arn:|(?:[\w@.-]+\/)+[\w@.-]+\.[a-z]{1,5}$|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$|<|\$|\[masked)/i

const looksRandom = (value: string): boolean =>
  value.length >= SHORTEST && HAS_BOTH.test(value) && !PLAIN_VALUE.test(value)

/** The decoded text of a base64 value, as clusters store secrets. */
const decoded = (value: string): readonly string[] => {
  if (!/^[A-Za-z0-9+/_-]{12,}={0,2}$/.test(value)) return []
  const text = Buffer.from(value, 'base64').toString('latin1').trim()
  return text.length >= 8 && /^[\x20-\x7e]+$/.test(text) ? [text] : []
}

/** What a result shows: secrets and nothing else, settings with secrets among them, or the environment. */
type Shows = 'secrets' | 'settings' | 'environment'

/** Tools of servers that hand out secrets, by their name. */
const REVEALING_TOOL =
  /(?:get|read|show|fetch|reveal|access|lookup|retrieve)[\w-]{0,24}(?:secret|credential|password|token|api_?key)/i
/** Programs that print one value, which is a secret by a name among their arguments. */
const PRINTS_ONE =
  /(?:^|[\s;|&(])(?:echo|printenv|printf|heroku|terraform|tofu|pulumi|doppler|fly|flyctl|railway|vercel|npm|jq|yq|grep|awk|sed|cut|node|python3?|ruby|cat|az|aws|gcloud)\b[^\n]{0,400}(?:key|token|secret|passw|credential)/i
/** Names of commits, which contain letters and digits too. */
const NAMES_THINGS = /(?:^|[\s;|&(])(?:git|sha\d*sum|md5sum|docker|uuidgen)\b/

const showsOf = (
  { payload: { tool, input } }: StepOf<'toolCallResult'>,
  effects: readonly Effect[],
): Shows | 'one' | undefined => {
  const reads = effects.filter(({ kind }) => kind === 'secret.read')
  if (reads.some(({ targets }) => targets.some(({ type }) => type === 'resource'))) return 'secrets'
  if (tool.server !== undefined) return REVEALING_TOOL.test(tool.name) ? 'secrets' : undefined
  if (reads.length > 0) return 'settings'
  if (effects.some(({ kind }) => kind === 'env.read')) return 'environment'
  const { command } = input
  return typeof command === 'string' && PRINTS_ONE.test(command) && !NAMES_THINGS.test(command) ? 'one' : undefined
}

const isSecret = (name: string, value: string, shows: Shows): boolean => {
  if (PLAIN_VALUE.test(value) || PUBLIC_NAME.test(name)) return false
  if (SECRET_NAME.test(name)) return true
  return shows !== 'environment' && !PLAIN_NAME.test(name) && !PLAIN_END.test(name) && looksRandom(value)
}

const pairsIn = (text: string): readonly (readonly [name: string, value: string])[] => [
  ...text.split('\n', MOST_LINES).flatMap((line) => {
    const [, name, value] = PAIR.exec(line.slice(0, 4_500)) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  }),
  ...[...text.matchAll(IN_JSON)].map(([, name = '', value = '']) => [name, value] as const),
]

/**
 * The values that a finished call has shown and that are secrets because of where they come from, though nothing in
 * their form says so: those of password stores, clusters and clouds, of env files, and of named variables.
 */
export const revealedBy = (step: StepOf<'toolCallResult'>, effects: readonly Effect[]): readonly string[] => {
  if (step.payload.status !== 'succeeded') return []
  const shows = showsOf(step, effects)
  if (shows === undefined) return []
  const text = stringsOf(step.payload.output).join('\n').slice(0, LONGEST)
  const whole = text.trim()
  const isOne = whole.length >= SHORTEST && whole.length <= 512 && !/\s/.test(whole) && !/^[{["]/.test(whole)
  if (shows === 'one') return isOne && looksRandom(whole) ? [whole, ...decoded(whole)] : []
  const one =
    isOne && !/^[A-Za-z_]\w*[=:]/.test(whole) && (shows === 'secrets' ? !PLAIN_VALUE.test(whole) : looksRandom(whole))
  const values = one ? [whole] : pairsIn(text).flatMap(([name, value]) => (isSecret(name, value, shows) ? [value] : []))
  return [...new Set(values)].slice(0, MOST_VALUES).flatMap((value) => [value, ...decoded(value)])
}
