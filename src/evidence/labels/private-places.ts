import type { Effect, SideEffectClass, TargetOrigin } from '../../protocol/evidence.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { carriesPersonal } from './fetch-content.ts'
import type { NameOrigins } from './name-origins.ts'
import type { PrivateReads } from './private-reads.ts'
import { stringsOf } from './tainted-store.ts'

const words = (list: string): readonly string[] => list.split(' ')

/** A place that a server of tools reads from or writes to: a repository, or all that the server has. */
export interface ServerPlace {
  readonly server: string
  /** `owner/name`, where there is one. */
  readonly repository?: string
  /** It was shown to be private. */
  readonly isPrivate?: true
}

const CODE_HOST = /git(?:hub|lab|ea|ee)|bitbucket|codeberg|forgejo|sourcehut/i
/** Servers of what is public anyway, or the agent's own machine. */
const PUBLIC_SOURCE =
  /fetch|brows|playwright|puppeteer|search|web|crawl|scrap|wiki(?:pedia|media)|arxiv|context7|weather|maps|news$|hacker|npm|pypi|memory|think|^time$|calculator/i
/** Servers by which anything is published. */
const PUBLIC_PLACE =
  /twitter|^x$|mastodon|bluesky|reddit|linkedin|facebook|instagram|threads|tiktok|youtube|medium|wordpress|ghost|blog|substack|paste|gist|stack_?(?:overflow|exchange)|discourse|forum|hacker|dev_?to|npm|pypi/i

/** What people call the things that servers of a kind have. */
const SPOKEN: readonly (readonly [server: RegExp, words: readonly string[]])[] = [
  [/mail|outlook|imap|inbox/i, words('mail mails email emails e-mail inbox newsletter')],
  [/slack|teams|discord|chat|telegram|whatsapp|matrix/i, words('chat channel thread conversation')],
  [
    /notion|confluence|wiki|drive|docs|sharepoint|dropbox|notes|obsidian/i,
    words('doc docs document documents notes wiki'),
  ],
  [
    /sql|postgres|mongo|database|\bdb\b|snowflake|bigquery|supabase|airtable/i,
    words('database db table rows customers orders'),
  ],
  [/zendesk|intercom|freshdesk|helpdesk|support|jira|linear|asana|trello|servicenow/i, words('ticket tickets')],
  [/salesforce|hubspot|crm|pipedrive/i, words('customer customers lead leads deal deals contact contacts')],
  [/calendar/i, words('calendar meeting meetings appointment')],
]

const text = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 128 ? value : undefined

/** The place that a call of a server is about. */
export const serverPlace = (server: string, input: JsonObject): ServerPlace => {
  const name = text(input['repo']) ?? text(input['repository']) ?? text(input['project_id']) ?? text(input['project'])
  if (name === undefined || !CODE_HOST.test(server)) return { server }
  const owner = text(input['owner']) ?? text(input['org']) ?? text(input['workspace'])
  return { server, repository: (name.includes('/') || owner === undefined ? name : `${owner}/${name}`).toLowerCase() }
}

/** For people and the trace. */
export const placeLabel = ({ server, repository, isPrivate: isShown }: ServerPlace): string =>
  repository === undefined ? `mcp ${server}` : `mcp ${server} ${repository}${isShown === true ? ' private' : ''}`

const SAYS_PRIVATE = /"private" ?: ?true|"visibility" ?: ?"(?:private|internal)"|\((?:private|internal)\b/g
const FULL_NAME = /"(?:full_name|name_with_owner|path_with_namespace)" ?: ?"([^"]{3,100})"/g
const NAME = /^[\w.-]{1,60}\/[\w.-]{1,60}$/
/** UTF-16 code units before the word `private` in which the repository is named. */
const LOOK_BACK = 600

/** Patterns that are applied to whole texts, for the test of linear time. */
export const PLACE_PATTERNS = { private: SAYS_PRIVATE, name: FULL_NAME }

/** The repository that is named before a place in a text: as a member of JSON, or as the last word. */
const nameBefore = (shown: string, at: number): string | undefined => {
  const before = shown.slice(Math.max(0, at - LOOK_BACK), at)
  if (!shown.startsWith('(', at)) return [...before.matchAll(FULL_NAME)].at(-1)?.[1]
  const last =
    before
      .trimEnd()
      .split(/\s/)
      .at(-1)
      ?.replace(/[,:*`]/g, '') ?? ''
  return NAME.test(last) ? last : undefined
}

/** Repositories of one text that are remembered as private. */
const MOST_LISTED = 8

/** The repositories that a result of a code host shows to be private, as labels of places. */
export const privateAmong = (server: string | undefined, content: Json): readonly string[] => {
  if (server === undefined || !CODE_HOST.test(server)) return []
  const shown = stringsOf(content).join('\n')
  return [...shown.matchAll(SAYS_PRIVATE)].slice(0, MOST_LISTED).flatMap(({ index }) => {
    const name = nameBefore(shown, index)
    return name === undefined ? [] : [placeLabel({ server, repository: name.toLowerCase(), isPrivate: true })]
  })
}

const fromLabel = (label: string): ServerPlace | undefined => {
  const [kind, server, repository] = label.split(' ')
  if (kind !== 'mcp' || server === undefined) return undefined
  return repository === undefined ? { server } : { server, repository }
}

/** Names that show that a repository is private. */
const PRIVATE_NAME =
  /private|internal|confidential|secret|payroll|salar|financ|legal|contract|hiring|people|security|incident|infra|credential|customer|strategy|roadmap/i

/** Whether a server's results are private: mails, chats, documents, data, private repositories. */
const isPrivate = ({ server, repository }: ServerPlace): boolean =>
  CODE_HOST.test(server) ? repository !== undefined && PRIVATE_NAME.test(repository) : !PUBLIC_SOURCE.test(server)

const isPublished = ({ server, repository }: ServerPlace, tool: string, input: JsonObject): boolean =>
  PUBLIC_PLACE.test(server) ||
  /gist|tweet|publish/i.test(tool) ||
  (CODE_HOST.test(server) && (repository === undefined || !PRIVATE_NAME.test(repository))) ||
  input['public'] === true ||
  input['visibility'] === 'public'

/** Words by which a person may have meant a place; words of the other place do not count. */
const wordsOf = (place: ServerPlace, other: ServerPlace): readonly string[] => {
  const others = new Set(`${other.server}/${other.repository ?? ''}`.toLowerCase().split(/[^a-z\d]+/))
  const own = `${place.server}/${place.repository ?? ''}`.toLowerCase()
  const kinds = SPOKEN.flatMap(([server, spoken]) => (server.test(place.server) ? spoken : []))
  const parts = own
    .split(/[^a-z\d]+/)
    .filter((word) => word.length > 2 && !/^(?:mcp|server|private|internal)$/.test(word))
  return [...parts, ...(place.repository === undefined ? [] : [place.repository]), ...kinds].filter(
    (word) => !others.has(word),
  )
}

/** The name under which texts of places outside are kept, beside those of the workspace. */
const outside = (session: string): string => `${session}\0outside`

/** Learns a server's result. */
export const readPlace = (reads: PrivateReads, session: string, label: string, content: Json): void => {
  if (fromLabel(label) !== undefined) reads.take(outside(session), content, label)
}

/** Words in a row that do not repeat by accident: six, as four runs of three. */
const FEWEST_RUNS = 4
const PUBLISHING: ReadonlySet<SideEffectClass | undefined> = new Set(['communication', 'external_write', 'privileged'])

/** A call as it is looked at here. */
export interface PlaceCall {
  readonly session: string
  readonly tool: string
  readonly server?: string | undefined
  readonly input: JsonObject
  readonly effects: readonly Effect[]
  readonly sideEffect?: SideEffectClass | undefined
}

/** Where a call of a command line publishes. */
const commandPlace = ({ effects, input }: PlaceCall): ServerPlace | undefined => {
  const by = effects.find(({ kind, by: program }) => kind === 'net.send' && /^(?:gh|glab|hub|tea)$/.test(program))?.by
  if (by === undefined) return undefined
  const repository = /(?:-R|--repo)[ =]["']?([\w.-]+\/[\w.-]+)/.exec(text(input['command']) ?? '')?.[1]
  return repository === undefined ? { server: 'github' } : { server: 'github', repository: repository.toLowerCase() }
}

/**
 * Passages that a call publishes and that the session read in a private place: by place, with whether the person spoke
 * of it.
 * @param sources labels of what the session has read
 */
export const placesCarried = (
  call: PlaceCall,
  sources: readonly string[],
  reads: PrivateReads,
  nameOrigins: NameOrigins,
): readonly TargetOrigin[] => {
  const { session, tool, server, input, sideEffect } = call
  if (sources.length === 0) return []
  const isServer = server !== undefined && PUBLISHING.has(sideEffect)
  const to = isServer ? serverPlace(server, input) : commandPlace(call)
  if (to === undefined || !isPublished(to, tool, input)) return []
  const texts = stringsOf(input, 64).filter((one) => one.length >= 20)
  const passage = (label: string): number => {
    const read = reads.of(outside(session), label)
    return read === undefined ? 0 : Math.max(0, ...texts.map((one) => read.passage(one)))
  }
  const here = placeLabel(to)
  const from = sources.filter((label) => {
    const place = fromLabel(label)
    return (
      label !== here &&
      place !== undefined &&
      (isPrivate(place) || sources.includes(`${label} private`)) &&
      passage(label) >= FEWEST_RUNS
    )
  })
  if (from.length === 0 || passage(here) >= FEWEST_RUNS) return []
  // Speaking of customers is not speaking of publishing who they are.
  const namesPeople = carriesPersonal(texts, nameOrigins)
  return from.slice(0, 4).map((label): TargetOrigin => {
    const place = fromLabel(label) ?? { server: label }
    const isSpokenOf =
      !namesPeople && wordsOf(place, to).some((word) => nameOrigins.of('word', word).origin === 'person')
    return {
      effect: 'tool.call',
      role: 'private',
      target: here,
      origin: isSpokenOf ? 'person' : 'untrusted',
      source: label,
    }
  })
}
