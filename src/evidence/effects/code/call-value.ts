import { globPattern, hasGlob } from '../values/glob.ts'
import { NO_FLOW, type Value, concat, isKnown, known, mapTexts, oneOf, unknown, withFlow } from '../values/value.ts'
import { DECODE, HOME, JOIN, SAME } from './calls.ts'
import { pathValue } from './path-values.ts'
import type { Result, Scope } from './scope.ts'

const lastName = (dotted: string): string => dotted.slice(dotted.lastIndexOf('.') + 1)

const decoded = (dotted: string, args: readonly Result[]): Value => {
  const texts = args[0]?.value
  const codes = args.map((arg) => Number(arg.value.texts[0] ?? Number.NaN))
  if (/chr$|fromCharCode$|fromCodePoint$/.test(dotted) && codes.every((code) => code >= 0 && code < 0x110000))
    return known(String.fromCodePoint(...codes))
  const result = texts ?? unknown()
  const change = /b64|base64|decode64|atob/.test(dotted)
    ? (text: string) => Buffer.from(text, 'base64').toString('utf8')
    : /hex/.test(dotted)
      ? (text: string) => Buffer.from(text, 'hex').toString('utf8')
      : undefined
  const plain = change === undefined ? unknown(result.flow) : mapTexts(result, change)
  return withFlow(plain, { decoded: true })
}

/** Calls that list files. */
export const LISTED =
  /(?:^|\.)(?:i?glob|rglob|listdir|scandir|walk|readdirSync|readdir|readDirSync|readDir|iterdir|children|entries|each_child)$/

/** Any file of a listing or pattern. */
export const somethingIn = (text: string): string =>
  /[*?]/.test(text) ? text.replace(/[^/]*$/, 'FILE') : `${text.replace(/\/+$/, '')}/FILE`

/** Paths of the guard that a search below a folder may return: by a pattern, or all of them. */
export const guardedIn = (folder: Value, pattern: Result | undefined, scope: Scope): readonly string[] => {
  const name = pattern?.value.texts[0]
  if (name === undefined) return []
  return folder.texts
    .flatMap((text) => scope.guarded(text, globPattern(name.slice(name.lastIndexOf('/') + 1))))
    .slice(0, 6)
}

/** A text with each mark of a format replaced by its value, in order. */
export const formatted = (text: string, given: readonly Result[], mark: RegExp): Value => {
  let rest = text
  let all: Value = known('')
  for (const { value } of given) {
    const found = mark.exec(rest)
    if (found === null) break
    all = concat(concat(all, known(rest.slice(0, found.index))), value)
    rest = rest.slice(found.index + found[0].length)
  }
  return concat(all, known(rest))
}

/** `glob('~/a/b')` without a pattern returns that very path. */
const globbed = (dotted: string, text: string, home: string): string => {
  const path = text.replace(/^~(?=\/|$)/, home)
  return dotted.endsWith('glob') && !hasGlob(path) ? path : somethingIn(path)
}

/** The value that a call returns, by its dotted name. */
export const callValue = (dotted: string, args: readonly Result[], scope: Scope): Value => {
  if (DECODE.test(dotted)) return decoded(dotted, args)
  if (/^[\w.]*(?:getenv|get_env)$/.test(dotted) && args[0]?.value.texts[0] === 'HOME') return known(scope.home)
  if (HOME.test(dotted) && args.length === 0) return known(scope.home)
  const path = pathValue(
    dotted,
    args.map(({ value }) => value),
  )
  if (path !== undefined) return path
  const first = args[0]?.value ?? unknown()
  if (lastName(dotted) === 'join' && args.length === 1 && args[0]?.items) {
    const glue = dotted.startsWith('"') ? dotted.slice(1, dotted.lastIndexOf('"')) : ''
    return args[0].items.reduce<Value>(
      (all, item, at) => (at === 0 ? item.value : concat(concat(all, known(glue)), item.value)),
      known(''),
    )
  }
  if (/^".*\.format$/s.test(dotted))
    return formatted(dotted.slice(1, dotted.lastIndexOf('"')), args, /\{(?:\d*|\w+)(?::\w*)?\}/)
  if (JOIN.test(dotted) && args.length > 1)
    return args.reduce<Value>((all, arg, at) => {
      if (at === 0) return arg.value
      if (isKnown(arg.value) && arg.value.texts[0]?.startsWith('/')) return arg.value
      return concat(concat(all, known('/')), arg.value)
    }, known(''))
  if (SAME.test(dotted)) return mapTexts(first, (text) => text.replace(/^~(?=\/|$)/, scope.home))
  if (LISTED.test(dotted) && isKnown(first)) {
    const listed = mapTexts(first, (text) => globbed(dotted, text, scope.home))
    const matched = first.texts.filter(hasGlob).flatMap((text) => scope.matched(text.replace(/^~(?=\/|$)/, scope.home)))
    return matched.length > 0 ? oneOf([...listed.texts, ...matched.slice(0, 6)], listed.flow) : listed
  }
  const flow = scope.flowOf(dotted, args)
  if (flow !== undefined) return flow
  return unknown(args.reduce((all, arg) => withFlow(unknown(all), arg.value.flow).flow, NO_FLOW))
}
