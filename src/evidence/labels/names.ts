import { domainOf, isShared, placeOf } from './host-place.ts'
import { readableIn } from './unwrap.ts'

/** Kinds of names whose origin a session remembers. */
export const NAME_KINDS = ['host', 'domain', 'url', 'address', 'path', 'package', 'command', 'word', 'mention'] as const

/**
 * What a name stands for. `word` is any word of a person's, `command` a command line written out, `mention` somebody's or
 * something's plain name in a sentence that is not a person's.
 */
export type NameKind = (typeof NAME_KINDS)[number]

/** A name found in a text, in the form it is compared in. */
export interface Name {
  readonly kind: NameKind
  readonly value: string
}

/** The names of a text. `cut`: more text, or more names, than the limits. */
export interface Names {
  readonly names: readonly Name[]
  readonly cut: boolean
  /** There were more plain names than are taken. */
  readonly crowded: boolean
}

/** Whose text it is: of a person every word counts, in a workspace a bare `a.b` is code and no host. */
export type Speaker = 'person' | 'workspace' | 'untrusted'

/** Limit of one text in UTF-16 code units, and of its names. */
export const LONGEST_TEXT = 262_144
export const MOST_NAMES = 2_048
const LONGEST_NAME = 256

const TOKEN = /[^\s"'`<>()[\]{},;|\\]+/g
/** A character that every name but a word has. */
const DISTINCTIVE = /[./@#\d]/
const EDGES = /^[*_:!?=]+|[.:!?*_=]+$/g
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.){1,8}[a-z][a-z0-9-]{1,23}$/i
const PLAIN_HOST = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}$/
const IP = /^\d{1,3}(?:\.\d{1,3}){3}$/
const ADDRESS = /^[\w.+%-]{1,64}@([\w.-]{3,253})$/
const REMOTE = /^[\w.-]{1,64}@([\w.-]{3,253}):(\S{1,200})$/
const ACCOUNT = /^(?:[A-Z]{2}\d{2}[A-Z0-9]{8,30}|\+?\d[\d-]{7,30}|[#@][\w.-]{2,64})$/
/** Account and telephone numbers in groups, as people write them. */
const GROUPED = /\b[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?\b|\+\d{1,3}(?:[ .()-]{1,2}\d{1,6}){2,7}/g
const GROUPED_WHOLE = /^(?:[A-Z]{2}\d{2}[A-Z0-9 ]{8,48}|\+?\d[\d .()-]{7,40})$/i
const PATH = /^(?:~|\.{1,2})?\/[^/]/
/** Ends of file names that would read as hosts. */
const FILE_END =
  /\.(?:c|cc|cpp|cs|css|csv|go|h|html?|ini|java|jpe?g|jsx?|json|kt|lock|log|md|mjs|cjs|php|png|py|rb|rs|sh|sql|svg|swift|toml|tsx?|txt|xml|ya?ml|zip|gz|tar|pdf)$/i

const INSTALL =
  /\b(?:npm|pnpm|yarn|bun|npx|bunx|uvx|pipx?|pip3|uv|poetry|cargo|gem|go|brew|composer|conda|apt|apt-get)[ \t]([^\n\r`"'|;&<>]{1,200})/g
const VERB = /^(?:i|install|add|get|exec|x|dlx|pip|require|create|init|run|tool|inject|-\S*)$/
/** Between the name of a dependency and its version. */
const DEPENDENCY = /:[ \t]{0,4}["'][\^~>=<*v]{0,2}\d|[=~>]=/g
/** Characters that are looked back at for the name before that. */
const LOOK_BACK = 96
const NAME_END = /[\w./@-]/
const QUOTES = /["'`\s]/
/** After the name of a package in a sentence. */
const PACKAGE_WORD = /["'` ](?:package|library|module|crate|gem)\b/g
/** Before one. */
const PACKAGE_CALLED =
  /\b(?:package|library|module|crate|gem|dependency)s?[ \t]{1,3}(?:called |named )?["'`]?(@?[A-Za-z][\w./-]{1,80})/g
const IMPORT = /\b(?:from|require\(|import)[ \t]{0,8}["']?(@?[A-Za-z][\w./-]{0,80})/g
const COMMAND = /`([^`\n]{8,256})`|^[ \t]{0,8}\$[ \t]{1,4}(\S[^\n]{7,255})/gm

/** A sentence: a line with three function words in a row. Lists and tables name people too, but contain no instructions. */
const SENTENCE =
  /(?:^| )[a-z\u00df-\u024f\u03ac-\u03ce\u0430-\u045f]{2,24},? [a-z\u00df-\u024f\u03ac-\u03ce\u0430-\u045f]{2,24},? [a-z\u00df-\u024f\u03ac-\u03ce\u0430-\u045f]{2,24}(?![^ .,;:!?])/
const SHORTEST_SENTENCE = 16
/** Plain names: capitalised (Latin, Greek, Cyrillic), or after a word that introduces a person. */
const LARGE = /(?<![\w\u00c0-\u045f@#./-])[A-Z\u00c0-\u00de\u0386-\u03ab\u0400-\u042f][\w\u00c0-\u045f'’-]{1,40}/g
const BEHIND =
  /\b(?:(?:to|tell|notify|message|dm|ping|cc|contact|pay|invite|add|user|username|channel|group|account)[ \t:]{1,3}){1,3}["'`@]?([A-Za-z\u00c0-\u045f][\w\u00c0-\u045f.-]{1,40})/gi
/** Plain names of one text, kept apart so that they crowd no other out. */
const MOST_MENTIONS = 1_024

/** Patterns that are applied to whole texts, for the test of linear time. */
export const NAME_PATTERNS = {
  token: TOKEN,
  install: INSTALL,
  dependency: DEPENDENCY,
  'package-word': PACKAGE_WORD,
  'package-called': PACKAGE_CALLED,
  import: IMPORT,
  command: COMMAND,
  sentence: SENTENCE,
  large: LARGE,
  behind: BEHIND,
  grouped: GROUPED,
}

/** Where a message or money goes, in the form it is compared in: a number without its groups. */
export const addressForm = (raw: string): string =>
  (GROUPED_WHOLE.test(raw) ? raw.replace(/[ .()-]/g, '') : raw).toLowerCase()

/** A package without its version and extras, in the form it is compared in. */
export const packageName = (raw: string): string =>
  raw
    .replace(/(?<=.)(?:@|[=~<>!]=|\[).*$/, '')
    .slice(0, LONGEST_NAME)
    .toLowerCase()

/** A package that the project's own files declare: these decide that it is used here, even if others named it before. */
export const declared = ({ value }: Pick<Name, 'value'>): Name => ({ kind: 'package', value: `declared ${value}` })

/** A command line in the form it is compared in. */
export const commandLine = (text: string): string => text.trim().replace(/\s{1,16}/g, ' ')

/** The last name of a path, as people refer to files. */
export const fileWord = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase()

type Put = (kind: NameKind, value: string) => void

const putHost = (put: Put, host: string, path: string): void => {
  put('host', placeOf(host, path))
  const domain = domainOf(host)
  if (domain !== undefined && !isShared(host)) put('domain', domain)
}

/** Addresses in other spellings and names in other scripts, as a client would reach them. */
const canonicalHost = (host: string): string =>
  PLAIN_HOST.test(host) || !URL.canParse(`http://${host}/`) ? host : new URL(`http://${host}/`).hostname

/** Host and path of what follows `://`; user and port are left out. */
const authority = (rest: string): readonly [host: string, path: string] => {
  const end = rest.search(/[/?#]/)
  const head = end === -1 ? rest : rest.slice(0, end)
  const host = head.slice(head.lastIndexOf('@') + 1).replace(/:\d{1,5}$/, '')
  return [canonicalHost(host.toLowerCase()), end === -1 ? '' : rest.slice(end)]
}

const putUrl = (put: Put, token: string, scheme: number): void => {
  const [host, path] = authority(token.slice(scheme + 3))
  if (host === '') return
  putHost(put, host, path)
  put('url', token)
}

const putBareHost = (put: Put, token: string): void => {
  const slash = token.indexOf('/')
  const host = (slash === -1 ? token : token.slice(0, slash)).replace(/:\d{1,5}$/, '').toLowerCase()
  if (IP.test(host) || (HOST.test(host) && !FILE_END.test(host)))
    putHost(put, host, slash === -1 ? '' : token.slice(slash))
}

const putToken = (put: Put, token: string, speaker: Speaker): void => {
  const scheme = token.indexOf('://')
  if (scheme > 0) return putUrl(put, token, scheme)
  if (PATH.test(token)) return put('path', token)
  if (token.includes('@')) {
    const host = (ADDRESS.exec(token) ?? REMOTE.exec(token))?.[1]?.toLowerCase()
    if (host !== undefined) {
      putHost(put, host, REMOTE.exec(token)?.[2] ?? '')
      put('address', token.toLowerCase())
    }
  }
  if (ACCOUNT.test(token)) put('address', addressForm(token))
  if (speaker !== 'workspace' && token.includes('.')) putBareHost(put, token)
}

/** A scope has one owner, as a domain has. */
export const scopeOf = (name: string): string | undefined => /^@[^/]+(?=\/)/.exec(name)?.[0]

const putPackage = (put: Put, raw: string): void => {
  const name = packageName(raw)
  const scope = scopeOf(name)
  put('package', name)
  if (scope !== undefined) put('package', scope)
}

/** The name that ends before a place, quotes and a few spaces between. */
const nameBefore = (text: string, index: number): string | undefined => {
  const least = Math.max(0, index - LOOK_BACK)
  let end = index
  while (end > least && QUOTES.test(text[end - 1] ?? '')) end--
  let start = end
  while (start > least && NAME_END.test(text[start - 1] ?? '')) start--
  return /^@?[A-Za-z][\w./-]{0,80}$/.exec(text.slice(start, end))?.[0]
}

const putPackages = (put: Put, text: string): void => {
  for (const [, words] of text.matchAll(INSTALL))
    for (const word of (words ?? '').split(/\s+/, 12))
      if (word !== '' && !VERB.test(word)) putPackage(put, word.replace(EDGES, ''))
  for (const { index } of text.matchAll(DEPENDENCY)) {
    const name = nameBefore(text, index)
    if (name !== undefined) putPackage(put, name)
  }
  for (const { index } of text.matchAll(PACKAGE_WORD)) {
    const name = nameBefore(text, index)
    if (name !== undefined) putPackage(put, name)
  }
  for (const [, name] of text.matchAll(PACKAGE_CALLED)) if (name !== undefined) putPackage(put, name.replace(EDGES, ''))
  for (const [, name] of text.matchAll(IMPORT)) if (name !== undefined) putPackage(put, name)
}

const putTokens = (put: Put, text: string, speaker: Speaker): void => {
  for (const [raw] of text.matchAll(TOKEN)) {
    // Plain words are most of a text and name nothing, but for a person's.
    if (speaker !== 'person' && !DISTINCTIVE.test(raw)) continue
    const clean = (raw.length > 2_048 ? raw.slice(0, 2_048) : raw).replace(EDGES, '')
    // `key=value` in options and query strings: the value is a name of its own.
    const equals = clean.indexOf('=')
    putToken(put, clean, speaker)
    if (equals > 0 && !clean.slice(0, equals).includes('://')) putToken(put, clean.slice(equals + 1), speaker)
    if (speaker === 'person')
      for (const word of [clean.toLowerCase(), packageName(clean), fileWord(clean)]) put('word', word)
  }
}

/** The lines of code between fences. */
const fencedLines = (text: string): readonly string[] => {
  if (!text.includes('```')) return []
  let isCode = false
  return text.split('\n').filter((line) => {
    const isFence = line.trimStart().startsWith('```')
    if (isFence) isCode = !isCode
    return isCode && !isFence && line.trim().length >= 8 && line.length <= 256
  })
}

/** A plain name in the form it is compared in. */
export const mentionOf = (name: string): string => name.toLowerCase().replace(/['’]s$|[.'’-]+$/u, '')

const NO_MENTIONS: Pick<Names, 'names' | 'crowded'> = { names: [], crowded: false }

const mentionsIn = (text: string): Pick<Names, 'names' | 'crowded'> => {
  // Raw names: most occur many times, and are normalised once.
  const raw = new Set<string>()
  for (const line of text.split('\n')) {
    if (raw.size > MOST_MENTIONS) break
    if (line.length < SHORTEST_SENTENCE || !SENTENCE.test(line)) continue
    for (const name of line.match(LARGE) ?? []) raw.add(name)
    for (const name of line.match(BEHIND) ?? []) raw.add(name)
  }
  // After an introducing word: the last word.
  const found = [...new Set([...raw].map((name) => mentionOf(name.split(/[ \t:"'`@]/).at(-1) ?? '')))]
  const names = found.slice(0, MOST_MENTIONS).map((value) => ({ kind: 'mention', value }) as const)
  return { names, crowded: raw.size > MOST_MENTIONS }
}

/** The names in a text, each once. Linear in the text, and bounded. */
export const namesIn = (whole: string, speaker: Speaker): Names => {
  const text = whole.length > LONGEST_TEXT ? whole.slice(0, LONGEST_TEXT) : whole
  const found = new Map<string, Name>()
  let cut = text.length < whole.length
  const put: Put = (kind, raw) => {
    const value = raw.slice(0, LONGEST_NAME)
    if (value.length < 2) return
    if (found.size >= MOST_NAMES) cut = true
    else found.set(`${kind} ${value}`, { kind, value })
  }
  putTokens(put, text, speaker)
  for (const [number] of text.matchAll(GROUPED)) put('address', addressForm(number))
  // What a stranger wrote in another alphabet, the agent may read out.
  if (speaker === 'untrusted') for (const form of readableIn(text)) putTokens(put, form, speaker)
  putPackages(put, text)
  if (speaker !== 'workspace') {
    for (const [, code, line] of text.matchAll(COMMAND)) put('command', commandLine(code ?? line ?? ''))
    for (const line of fencedLines(text)) put('command', commandLine(line))
  }
  const mentions = speaker === 'person' ? NO_MENTIONS : mentionsIn(text)
  return { names: [...found.values(), ...mentions.names], cut, crowded: cut || mentions.crowded }
}
