import { canonicalJson } from '../../protocol/canonical-json.ts'
import type { Severity } from '../../protocol/evidence.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { skeletonOf } from '../detectors/text/confusables.ts'
import { excessOf, purposeOf, signsIn } from './definition-signs.ts'
import type { SignType } from './definition-signs.ts'
import { readDefinition } from './definition-texts.ts'
import type { DefinitionText, NamedDefinition, ServerTools } from './definition-texts.ts'

/** What is found in the definitions of a server's tools. */
export interface DefinitionFinding {
  readonly tool: string
  /**
   * `instruction`: a text gives the model orders; `shadowing`: of another server's tool; `excess`: a parameter asks for
   * what the tool does not need; `change`: what was not there when the definitions were last seen.
   */
  readonly kind: 'instruction' | 'shadowing' | 'excess' | 'change'
  readonly type: string
  readonly severity: Severity
  /** From the root of the tool's definition. */
  readonly pointer: string
  /** Set where earlier definitions are known: it was not in them. */
  readonly isNew?: true
}

const SIGN_SEVERITY: Readonly<Record<SignType, Severity>> = {
  overrides: 'high',
  silence: 'high',
  'takes-private': 'high',
  'takes-session': 'medium',
  role: 'high',
  'sends-on': 'high',
  'runs-code': 'high',
}

const instructionsIn = (
  { name, description }: NamedDefinition,
  { texts, parameters }: ReturnType<typeof readDefinition>,
): readonly DefinitionFinding[] => {
  // A server sends what it likes.
  const purpose = purposeOf(name, typeof description === 'string' ? description : '')
  const signs = texts.flatMap(({ pointer, text }) =>
    signsIn(text, purpose).map((type): DefinitionFinding => ({
      tool: name,
      kind: 'instruction',
      type,
      severity: SIGN_SEVERITY[type],
      pointer,
    })),
  )
  const excess = parameters.flatMap((parameter): readonly DefinitionFinding[] => {
    const type = excessOf(parameter, purpose)
    return type === undefined
      ? []
      : [{ tool: name, kind: 'excess', type, severity: 'medium', pointer: parameter.pointer }]
  })
  return [...signs, ...excess]
}

/** Names that are not words of a language: a mention of one is of the tool. */
const isDistinct = (name: string): boolean => name.length >= 6 && /[_-]|[a-z][A-Z]/.test(name)

/** Statements that a tool is to be used differently from what its own server defines. */
const REDIRECTS =
  /\b(?:instead|rather than|in place of|replac(?:e|es|ed|ing)|deprecated|broken|unsafe|insecure|overrid(?:e|es|ing)|whenever|when(?:ever)? (?:using|calling|you)|before|after|always|must|never|do not|don['’]t|every|also|first)\b/i

const CLAUSE = /(?<=[.!?])\s{1,8}|\n{1,4}/
/** What may be the name of a tool. */
const IDENTIFIER = /[A-Za-z][\w-]{5,120}/g

/** A name as it reads: without what parts its words, and with letters that pass for others as those. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_.-]/g, '')
const lookOf = (name: string): string =>
  plain(skeletonOf(name.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')))
    .replaceAll(/[1|]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** Names of the tools of other servers, and how each reads. */
interface ForeignNames {
  readonly names: ReadonlySet<string>
  readonly plain: ReadonlySet<string>
  readonly looks: ReadonlySet<string>
}

const namesOf = (servers: readonly ServerTools[]): ForeignNames => {
  const names = new Set(servers.flatMap(({ tools }) => tools.map(({ name }) => name)))
  return { names, plain: new Set([...names].map(plain)), looks: new Set([...names].map(lookOf)) }
}

const shadowsIn = (
  { name }: NamedDefinition,
  texts: readonly DefinitionText[],
  own: ReadonlySet<string>,
  foreign: ForeignNames,
): readonly DefinitionFinding[] => {
  const found: DefinitionFinding[] = []
  const add = (type: string, severity: Severity, pointer: string): void => {
    found.push({ tool: name, kind: 'shadowing', type, severity, pointer })
  }
  if (foreign.plain.has(plain(name))) add('same-name', 'low', '/name')
  else if (foreign.looks.has(lookOf(name))) add('look-alike', 'high', '/name')
  for (const { pointer, text } of texts) {
    const naming = text
      .split(CLAUSE)
      .filter((sentence) =>
        (sentence.match(IDENTIFIER) ?? []).some(
          (word) => isDistinct(word) && foreign.names.has(word) && !own.has(word),
        ),
      )
    if (naming.length === 0) continue
    if (naming.some((sentence) => REDIRECTS.test(sentence))) add('redirects', 'high', pointer)
    else add('mentions', 'low', pointer)
  }
  return found
}

/** Places outside that a text names: hosts of URLs, mail addresses. */
const DESTINATION = /https?:\/\/[\w.-]{3,200}|\w@[\w-]{1,63}\.[\w.-]{2,100}/gi

const destinationsIn = (texts: readonly DefinitionText[]): ReadonlySet<string> =>
  new Set(texts.flatMap(({ text }) => (text.match(DESTINATION) ?? []).map((one) => one.toLowerCase())))

const hint = (annotations: JsonObject | undefined, name: string): Json | undefined => annotations?.[name]

/** Hints that make a tool look more harmless than they did. */
const weakened = (before: JsonObject | undefined, now: JsonObject | undefined): boolean =>
  (hint(before, 'readOnlyHint') !== true && hint(now, 'readOnlyHint') === true) ||
  (hint(before, 'destructiveHint') !== false && hint(now, 'destructiveHint') === false) ||
  (hint(before, 'openWorldHint') !== false && hint(now, 'openWorldHint') === false)

const changesOf = (before: NamedDefinition, now: NamedDefinition): readonly DefinitionFinding[] => {
  const change = (type: string, severity: Severity, pointer: string): DefinitionFinding => ({
    tool: now.name,
    kind: 'change',
    type,
    severity,
    pointer,
    isNew: true,
  })
  const was = readDefinition(before)
  const is = readDefinition(now)
  const known = destinationsIn(was.texts)
  const parameters = new Map(was.parameters.map((one) => [one.pointer, one]))
  return [
    ...(weakened(before.annotations, now.annotations) ? [change('weaker-hint', 'high', '/annotations')] : []),
    ...is.texts.flatMap((one) =>
      [...destinationsIn([one])].some((destination) => !known.has(destination))
        ? [change('destination', 'medium', one.pointer)]
        : [],
    ),
    ...is.parameters.flatMap(({ pointer, isRequired }) => {
      const old = parameters.get(pointer)
      if (old !== undefined) return isRequired && !old.isRequired ? [change('required', 'low', pointer)] : []
      return [change('parameter', isRequired ? 'medium' : 'low', pointer)]
    }),
  ]
}

const keyOf = ({ tool, kind, type }: DefinitionFinding): string => `${tool} ${kind} ${type}`

/** Patterns that are applied to whole texts, for the test of linear time. */
export const CHANGE_PATTERNS = {
  redirects: REDIRECTS,
  clause: CLAUSE,
  identifier: IDENTIFIER,
  destination: DESTINATION,
}

/** Findings of one set of definitions, independent of earlier ones. */
const standing = ({ tools }: ServerTools, others: readonly ServerTools[]): readonly DefinitionFinding[] => {
  const own = new Set(tools.map(({ name }) => name))
  const foreign = namesOf(others)
  return tools.flatMap((definition) => {
    const read = readDefinition(definition)
    return [...instructionsIn(definition, read), ...shadowsIn(definition, read.texts, own, foreign)]
  })
}

/**
 * What the definitions of a server's tools have that nobody needs, by their texts alone. Hidden characters and injected
 * text in general are for the detectors.
 * @param others other servers of the same session
 * @param seen the definitions as they were last seen, of the same server; a change of wording that introduces nothing is
 * no finding
 */
export const definitionFindings = (
  current: ServerTools,
  others: readonly ServerTools[] = [],
  seen?: ServerTools,
): readonly DefinitionFinding[] => {
  const found = standing(current, others)
  if (seen === undefined) return found
  const before = new Map(seen.tools.map((tool) => [tool.name, tool]))
  const known = new Set(standing(seen, others).map(keyOf))
  const changes = current.tools.flatMap((tool): readonly DefinitionFinding[] => {
    const old = before.get(tool.name)
    if (old === undefined)
      return [{ tool: tool.name, kind: 'change', type: 'tool', severity: 'medium', pointer: '/name', isNew: true }]
    const isSame = canonicalJson(old as unknown as Json) === canonicalJson(tool as unknown as Json)
    return isSame ? [] : changesOf(old, tool)
  })
  return [...found.map((one): DefinitionFinding => (known.has(keyOf(one)) ? one : { ...one, isNew: true })), ...changes]
}
