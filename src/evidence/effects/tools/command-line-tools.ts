import { shellWord } from '../../../protocol/shell-word.ts'
import { type Json, isObject } from '../../../protocol/json.ts'
import type { ToolRef } from '../../../protocol/step.ts'
import { words } from '../values/words.ts'
import { wordsOf } from './tool-words.ts'

/** Programs that servers wrap, with the names of such servers and tools, and an example. */
export const PROGRAM_ROWS: readonly (readonly [called: string, program: string, tool: string])[] = [
  ['k8s kube kubernetes kubectl openshift eks gke aks', 'kubectl', 'kubectl:delete_namespace'],
  ['helm', 'helm', 'helm:uninstall'],
  ['docker podman', 'docker', 'docker:system_prune'],
  ['tf terraform opentofu tofu', 'terraform', 'terraform:destroy'],
  ['pulumi', 'pulumi', 'pulumi:destroy'],
  ['aws', 'aws', 'aws:s3_rb'],
  ['gcp gcloud', 'gcloud', 'gcloud:projects_delete'],
  ['az azure', 'az', 'az:group_delete'],
  ['git', 'git', 'git:stash_drop'],
  ['redis valkey keydb', 'redis-cli', 'redis:flushall'],
  ['heroku', 'heroku', 'heroku:apps_destroy'],
  ['flyctl fly', 'fly', 'fly:apps_destroy'],
  ['prisma', 'prisma', 'prisma:migrate_reset'],
  ['rails', 'rails', 'rails:db_drop'],
  ...words('npm pnpm yarn pip cargo gem brew apt').map((name) => [name, name, `${name}:install`] as const),
]

export const PROGRAMS: ReadonlyMap<string, string> = new Map(
  PROGRAM_ROWS.flatMap(([called, program]) => words(called).map((name) => [name, program] as const)),
)

/** Words of a tool's name that only mean running the program. */
const RUNS =
  /^(?:run|execute|exec|call|invoke|command|commands|cmd|cli|api|generic|op|request|do|tool|query|perform|action)$/
/** Members with the action, before those with its target. */
const FIRST = /^(?:service|group)$/i
const SECOND = /^(?:operation|action|op|verb|sub_?command|command|cmd|method)$/i
/** Members whose text is more than one word of a line. */
const LINE =
  /^(?:args?|argv|arguments?|params?|parameters|flags|options|(?:\w+_)?(?:command|cmd|cli|line)|cmdline|commandline)$/i
/** Members that are options and never operands. */
const OPTION =
  /(?:namespace|context|region|zone|project|profile|cwd|dir|directory|repo_path|path|output|format|branch_type|mode|timeout)$/i

const kebab = (word: string): string =>
  word
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()

const rankOf = (member: string): number =>
  FIRST.test(member) ? 0 : SECOND.test(member) ? 1 : LINE.test(member) ? 2 : /kind|type/i.test(member) ? 3 : 4

/** Members that are searched for words. */
const MOST_WORDS = 64

const wordsIn = (member: string, value: Json, depth: number): readonly string[] => {
  if (typeof value === 'string') {
    if (LINE.test(member))
      return /\s/.test(value.trim()) ? [value] : [shellWord(SECOND.test(member) ? kebab(value) : value)]
    if (SECOND.test(member)) return [shellWord(kebab(value))]
    if (OPTION.test(member))
      return [`--${kebab(member)}=${shellWord(value)}`, ...(member === 'mode' ? [`--${kebab(value)}`] : [])]
    return [shellWord(value)]
  }
  if (value === true) return [`--${kebab(member)}`]
  if (typeof value === 'number') return [`--${kebab(member)}=${value}`]
  if (Array.isArray(value)) return value.flatMap((one: Json) => (typeof one === 'string' ? [shellWord(one)] : []))
  if (isObject(value) && depth > 0) return lineOf(value, depth - 1)
  return []
}

const lineOf = (input: Readonly<Record<string, Json>>, depth: number): readonly string[] =>
  Object.entries(input)
    .toSorted(([left], [right]) => rankOf(left) - rankOf(right))
    .flatMap(([member, value]) => wordsIn(member, value, depth))
    .slice(0, MOST_WORDS)

/** The program that a tool wraps. */
export const programOf = ({ name, server = '' }: ToolRef): string | undefined => {
  const parts = [...server.toLowerCase().split(/[^a-z0-9]+/), ...wordsOf(name, undefined)]
  for (const word of parts) {
    const found = PROGRAMS.get(word)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The command lines of a tool call, for the program that the tool offers: the words of its name, then those of its
 * arguments. More than one, where nouns may be before or after the verb.
 */
export const linesOf = (tool: ToolRef, input: Readonly<Record<string, Json>>): readonly string[] => {
  const program = programOf(tool)
  if (program === undefined) return []
  const toolWords = wordsOf(tool.name, tool.server).filter(
    (word) => !RUNS.test(word) && !PROGRAMS.has(word) && word !== program,
  )
  const verbs =
    program === 'docker' && toolWords.length === 1 && toolWords[0] === 'prune' ? ['system', 'prune'] : toolWords
  const rest = lineOf(input, 2)
  const own = rest[0]?.split(/\s/)[0] === program ? rest.slice(0, 1) : undefined
  if (own !== undefined) return [rest.join(' ')]
  const line = (first: readonly string[]): string => [program, ...first, ...rest].join(' ')
  return verbs.length < 2
    ? [line(verbs)]
    : [line(verbs), line(verbs.toReversed()), line([verbs[0] ?? '']), line([verbs.at(-1) ?? ''])]
}
