import type { SideEffectClass } from '../../../protocol/evidence.ts'
import { type JsonObject, isObject } from '../../../protocol/json.ts'
import type { ToolRef } from '../../../protocol/step.ts'
import { CODE, type Doing, MESSAGES, MONEY, POWERS, SECRETS, WHOLES, doingOf, wordsOf } from './tool-words.ts'

/** What is thought of a tool that is not known by name. */
export interface ToolJudgement {
  readonly sideEffect: SideEffectClass
  readonly doing: Doing | undefined
  /** It deletes, and something as a whole. */
  readonly removesWhole: boolean
  /** It gives out a secret. */
  readonly reveals: boolean
  /** It is so by the person's own word. */
  readonly configured: boolean
}

const LOCAL_SERVER =
  /(?:^|[_-])(?:filesystem|fs|files?|desktop[_-]commander|serena|git|editor|workspace|memory|ide|vscode|jetbrains|obsidian)(?:$|[_-])/i
const BROWSER = /browser|puppeteer|playwright|selenium|chrome|stagehand/i

/** From least to most to be afraid of; evidence that is not the person's own only ever moves up. */
const RANK: readonly SideEffectClass[] = [
  'read_only',
  'local_write',
  'external_write',
  'communication',
  'privileged',
  'financial',
  'code_execution',
]

const worse = (left: SideEffectClass, right: SideEffectClass): SideEffectClass =>
  RANK.indexOf(right) > RANK.indexOf(left) ? right : left

const has = (words: readonly string[], among: ReadonlySet<string>): boolean => words.some((word) => among.has(word))

const QUERY = new Set([
  'sql',
  'query',
  'queries',
  'statement',
  'report',
  'search',
  'request',
  'workflow',
  'pipeline',
  'job',
  'action',
  'migration',
  'sync',
  'actor',
  'tests',
  'test',
  'trigger',
  'build',
])

/** The class that a tool's name speaks for. */
const classOfName = (words: readonly string[], server: string, local: boolean): SideEffectClass => {
  const { doing, verb, objects } = doingOf(words)
  const write: SideEffectClass = local ? 'local_write' : 'external_write'
  switch (doing) {
    case 'look':
      return SECRETS.has(objects.findLast((word) => !/^(?:values?|string|content)$/.test(word)) ?? '') &&
        !/^(?:list|count|describe|check|validate|generate|scan|search)$/.test(verb)
        ? 'privileged'
        : 'read_only'
    case 'fetch':
      return verb === 'download' ? 'local_write' : 'read_only'
    case 'visit':
      return BROWSER.test(server) || verb === 'navigate'
        ? 'external_write'
        : objects.length > 0 && verb === 'open'
          ? write
          : 'external_write'
    case 'change':
    case 'move':
      if (has(objects, MONEY)) return 'financial'
      if (
        has(objects, MESSAGES) &&
        verb !== 'draft' &&
        !objects.includes('draft') &&
        verb !== 'mark' &&
        !OWN.test(verb)
      )
        return 'communication'
      if (has(objects, POWERS) && !local && !OWN.test(verb)) return 'privileged'
      return write
    case 'remove':
      return has(objects, POWERS) && !local ? 'privileged' : write
    case 'send':
      if (has(objects, MONEY) && verb !== 'comment')
        return verb === 'send' && objects.includes('invoice') ? 'financial' : 'communication'
      return 'communication'
    case 'run':
      if (has(objects, CODE) || CODE.has(verb) || objects.length === 0) return 'code_execution'
      return has(objects, QUERY) ? 'external_write' : 'code_execution'
    case 'pay':
      return 'financial'
    case 'grant':
      return 'privileged'
    case undefined:
      // A name of many things (`console_messages`) is a list of them.
      return /[^s]s$/.test(words.at(-1) ?? '') ? 'read_only' : write
    default:
      return doing satisfies never
  }
}

/** Verbs that change what one has oneself, and reach nobody. */
const OWN =
  /^(?:archive|unarchive|label|star|tag|pin|unpin|snooze|save|import|move|bookmark|close|dismiss|stash|cancel|follow|unfollow|like|unlike)$/

/** What a description says first, when it says that the tool does more than its name. */
const MORE: readonly (readonly [RegExp, SideEffectClass])[] = [
  [
    /\b(?:executes?|runs?) (?:an? |any |arbitrary |the (?:given )?)*(?:shell|bash|python|javascript|system|terminal|command|code|script)/i,
    'code_execution',
  ],
  [
    /\b(?:transfers?|sends?|pays?|moves?|withdraws?) (?:\w+ ){0,3}(?:money|funds|payment|crypto|usd|eth|btc)\b|\brefunds? (?:a|the)\b/i,
    'financial',
  ],
  [/\b(?:grants?|elevates?|assigns?) (?:\w+ ){0,3}(?:permissions?|access|roles?|admin)\b/i, 'privileged'],
  [
    /\b(?:sends?|posts?|publishes?|forwards?) (?:\w+ ){0,4}(?:e-?mails?|messages?|sms|tweets?|replies|notifications?|to (?:a|the) (?:channel|user|recipient))/i,
    'communication',
  ],
  [
    /^(?:\W*)(?:deletes?|removes?|creates?|updates?|modif(?:y|ies)|overwrites?|writes?|uploads?|sets?|destroys?|drops?)\b/i,
    'external_write',
  ],
]

const LOOKS_ONLY =
  /^(?:\W*)(?:returns?|lists?|gets?|fetch(?:es)?|retrieves?|reads?|shows?|searches?|finds?|displays?|looks? up|queries|calculates?|computes?|converts?|checks?|provides?|describes?)\b/i

const firstSentence = (text: string): string => (/^[^.!?\n]{0,400}/.exec(text.trim()) ?? [''])[0]

const propertyNames = (schema: JsonObject | undefined): readonly string[] => {
  const properties = schema?.['properties']
  return isObject(properties) ? Object.keys(properties).map((name) => name.toLowerCase()) : []
}

const RUNS = /^(?:command|cmd|shell_?command|command_?line|bash|script|code|source_?code|javascript|python_?code)$/
const TO =
  /^(?:to|recipients?|recipient_?(?:id|email)s?|emails?|channel|channel_?id|phone(?:_?number)?|chat_?id|cc|bcc|attendees)$/
const SAID = /^(?:body|message|text|subject|html|content)$/
const SUM = /^(?:amount|amount_?(?:in_?)?(?:cents|usd)|price|total|quantity)$/
const PAYEE =
  /^(?:currency|recipient|destination|payee|card|iban|wallet|account(?:_?(?:id|number))?|payment_?(?:method|intent)|charge|to|symbol)$/

/** The class that a tool's parameters speak for. */
const classOfSchema = (names: readonly string[]): SideEffectClass => {
  const some = (pattern: RegExp): boolean => names.some((name) => pattern.test(name))
  if (some(RUNS)) return 'code_execution'
  if (some(SUM) && some(PAYEE)) return 'financial'
  return some(TO) && some(SAID) ? 'communication' : 'read_only'
}

const flag = (annotations: JsonObject | undefined, name: string): boolean | undefined => {
  const value = annotations?.[name]
  return typeof value === 'boolean' ? value : undefined
}

/**
 * Judges a tool by its name, and by what the host shows of it. What a server says of its own tool is no evidence for
 * its harmlessness: description, schema and annotations may only make it look worse. Only for a name that tells nothing
 * is a description believed that says that the tool looks.
 */
const judge = (tool: ToolRef, words: readonly string[], local: boolean): SideEffectClass => {
  const { definition, server = '' } = tool
  const { doing } = doingOf(words)
  const byName = classOfName(words, server, local)
  if (definition === undefined) return byName
  const told = firstSentence(definition.description ?? '')
  const names = propertyNames(definition.inputSchema)
  const bySchema = doing === 'look' || doing === 'fetch' ? 'read_only' : classOfSchema(names)
  const start = doing === undefined && LOOKS_ONLY.test(told) ? 'read_only' : byName
  const negated = /\b(?:without|does not|doesn't|never|no)\b/i.test(told)
  const byText =
    negated || !(doing === undefined || doing === 'look' || doing === 'fetch' || doing === 'change')
      ? undefined
      : MORE.find(([pattern]) => pattern.test(told))?.[1]
  const write: SideEffectClass = local ? 'local_write' : 'external_write'
  const changes =
    flag(definition.annotations, 'readOnlyHint') === false || flag(definition.annotations, 'destructiveHint') === true
  const more: readonly SideEffectClass[] = [
    bySchema,
    byText === 'external_write' ? write : (byText ?? 'read_only'),
    changes && start === 'read_only' ? write : 'read_only',
  ]
  return more.reduce<SideEffectClass>(worse, start)
}

const configuredFor = (
  tool: ToolRef,
  configured: ReadonlyMap<string, SideEffectClass>,
): SideEffectClass | undefined => {
  if (configured.size === 0) return undefined
  const bare = tool.name.replace(/^mcp__.*?__/, '')
  const full = tool.server === undefined ? tool.name : `mcp__${tool.server}__${bare}`
  for (const name of [tool.name, full]) {
    const exact = configured.get(name)
    if (exact !== undefined) return exact
  }
  for (const [pattern, sideEffect] of configured)
    if (pattern.endsWith('*') && full.startsWith(pattern.slice(0, -1))) return sideEffect
  return undefined
}

/** What is thought of a tool; what the person has configured holds. */
export const judgeTool = (tool: ToolRef, configured: ReadonlyMap<string, SideEffectClass>): ToolJudgement => {
  const words = wordsOf(tool.name, tool.server)
  const { doing, objects } = doingOf(words)
  const local = tool.server !== undefined && LOCAL_SERVER.test(tool.server)
  const given = configuredFor(tool, configured)
  const sideEffect = given ?? judge(tool, words, local)
  return {
    sideEffect,
    doing,
    removesWhole: doing === 'remove' && WHOLES.has(objects.at(-1) ?? '') && !local,
    reveals: sideEffect === 'privileged' && doing === 'look' && given === undefined,
    configured: given !== undefined,
  }
}
