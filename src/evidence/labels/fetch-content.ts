import type { JsonObject } from '../../protocol/json.ts'
import type { Origin } from '../../protocol/evidence.ts'
import type { NameOrigins } from './name-origins.ts'
import { isOurs } from './look-up.ts'
import { namesIn } from './names.ts'
import type { PrivateText } from './private-text.ts'
import { stringsOf } from './tainted-store.ts'
import { readableIn } from './unwrap.ts'

const SEEN: readonly Origin[] = ['person', 'workspace', 'referred', 'untrusted']
/** So much of an address may be new without telling anything: an id, a page, a word that is searched. */
const SHORTEST_SAID = 16
/** A label of a host this long is not a name. */
const LONG_LABEL = /:\/\/(?:[\w-]{1,63}\.){0,8}[\w-]{24,63}\./

/** A fetch whose address contains more than any text: the rest is the agent's. */
export const isComposed = (input: JsonObject, nameOrigins: NameOrigins): boolean =>
  stringsOf(input, 16)
    .flatMap((text) => namesIn(text, 'untrusted').names)
    .some(({ kind, value }) => {
      if (kind !== 'url') return false
      const rest = /[^:/][/?#](.*)$/.exec(value)?.[1] ?? ''
      return (
        (rest.length >= SHORTEST_SAID || LONG_LABEL.test(value)) && !SEEN.includes(nameOrigins.of('url', value).origin)
      )
    })

/** Most evaluated addresses of one call. */
const MOST_ADDRESSES = 64
const ADDRESS = /https?:\/\/[^\s"'<>]{8,8192}/gi
const MAIL = /[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}/gi
const NUMBER = /(?:[A-Z]{2}\d{2}[A-Z0-9]{10,30}|\+\d{9,15})/g
const HOME_PATH = /(?:^|[=:,\s])(\/[^\s&#"'?]{4,512})/g

const plainOf = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text.replaceAll('+', ' ')
  }
}

/** The data in the addresses of a call besides their host, plain and decoded. */
export const addressTexts = (input: JsonObject): readonly string[] =>
  stringsOf(input, 16)
    .flatMap((text) => [...text.matchAll(ADDRESS)].map(([address]) => address))
    .slice(0, MOST_ADDRESSES)
    .flatMap((address) => {
      const rest = address.replace(/^[^:]*:\/\/[^/?#]*/, '')
      const plain = plainOf(rest)
      return [plain, ...readableIn(rest), ...readableIn(plain)]
    })

/** The texts of a call, plain and decoded. */
export const bodyTexts = (input: JsonObject): readonly string[] =>
  stringsOf(input, 64).flatMap((text) => [text, plainOf(text), ...readableIn(text)])

/** Sources of data about people who do not publish it. */
const HELD = /^(?:mcp|tool) /

/** One address in a file may be its author's. */
const FEWEST_OF_FILES = 2

/** Whether texts contain a mail address, account or telephone number that only data about people contained. */
export const carriesPersonal = (texts: readonly string[], nameOrigins: NameOrigins): boolean => {
  const named = new Set(
    texts.flatMap((text) => [...text.matchAll(MAIL), ...text.matchAll(NUMBER)].map(([name]) => name)),
  )
  let ofFiles = 0
  for (const name of named) {
    const { origin, source } = nameOrigins.of('address', name.toLowerCase())
    if (origin === 'untrusted' && source !== undefined && HELD.test(source)) return true
    if (origin === 'workspace' || source?.startsWith('file ') === true) ofFiles++
  }
  return ofFiles >= FEWEST_OF_FILES
}

/**
 * Whether an address carries private data of the person or the workspace: a mail address, an account or telephone
 * number that they named, a path of the home folder, or a longer passage of the workspace's text.
 */
export const carriesPrivate = (
  input: JsonObject,
  nameOrigins: NameOrigins,
  home: string,
  read: PrivateText | undefined,
): boolean =>
  addressTexts(input).some((text) => {
    const named = [...text.matchAll(MAIL), ...text.matchAll(NUMBER)].map(([name]) => name.toLowerCase())
    if (named.some((name) => isOurs(nameOrigins.of('address', name)))) return true
    const query = text.replace(/^[^?#]*/, '')
    if (home !== '' && [...query.matchAll(HOME_PATH)].some(([, path]) => path?.startsWith(`${home}/`) === true))
      return true
    return read?.holds(text) === true
  })
