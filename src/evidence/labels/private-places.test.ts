import { describe, expect, test } from 'vitest'
import type { Effect } from '../../protocol/evidence.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { createDigest } from './digest.ts'
import { createNameOrigins } from './name-origins.ts'
import { namesIn } from './names.ts'
import { createPrivateReads } from './private-reads.ts'
import { placeLabel, placesCarried, privateAmong, readPlace, serverPlace } from './private-places.ts'

const KEY = new Uint8Array(32).fill(7)
const BANDS = 'Salary bands 2026: junior 41, senior 68, staff on request only.'
const COMMENT = 'Here it is: salary bands 2026: junior 41, senior 68'
const SEND: Effect = { kind: 'tool.call', by: 'x', targets: [], certainty: 'certain', traits: [] }

interface Row {
  readonly name: string
  readonly person: string
  /** What was read: server, arguments, text. */
  readonly read: readonly (readonly [server: string, input: JsonObject, text: string])[]
  readonly to: readonly [server: string, input: JsonObject]
  readonly origins: readonly string[]
}

const PUBLIC = { owner: 'acme', repo: 'widget' }
const PRIVATE = { owner: 'acme', repo: 'payroll-private' }

const ROWS: readonly Row[] = [
  {
    name: 'a private repository into a comment of another',
    person: 'Answer the issues of acme/widget',
    read: [['github', PRIVATE, BANDS]],
    to: ['github', { ...PUBLIC, body: COMMENT }],
    origins: ['untrusted'],
  },
  {
    name: 'one that the person spoke of',
    person: 'Quote the salary bands of payroll in issue 5',
    read: [['github', PRIVATE, BANDS]],
    to: ['github', { ...PUBLIC, body: COMMENT }],
    origins: ['person'],
  },
  {
    name: 'one that a list shows to be private',
    person: 'Answer the issues',
    read: [
      ['github', {}, '{"full_name":"acme/bands","id":1,"private":true}'],
      ['github', { owner: 'acme', repo: 'bands' }, BANDS],
    ],
    to: ['github', { ...PUBLIC, body: COMMENT }],
    origins: ['untrusted'],
  },
  {
    name: 'one of which nothing says that it is private',
    person: 'Answer the issues',
    read: [['github', { owner: 'acme', repo: 'bands' }, BANDS]],
    to: ['github', { ...PUBLIC, body: COMMENT }],
    origins: [],
  },
  {
    name: 'a mail in a public issue',
    person: 'Answer the issues',
    read: [['gmail', {}, BANDS]],
    to: ['github', { ...PUBLIC, body: COMMENT }],
    origins: ['untrusted'],
  },
  {
    name: 'a mail that the person spoke of',
    person: 'Put what the mail says into issue 5',
    read: [['gmail', {}, BANDS]],
    to: ['github', { ...PUBLIC, body: COMMENT }],
    origins: ['person'],
  },
  {
    name: 'a chat in a tweet',
    person: 'Tweet about the release',
    read: [['slack', { channel: 'C1' }, BANDS]],
    to: ['twitter', { text: COMMENT }],
    origins: ['untrusted'],
  },
  {
    name: 'a mail in a chat of the team',
    person: 'Tell the team',
    read: [['gmail', {}, BANDS]],
    to: ['slack', { text: COMMENT }],
    origins: [],
  },
  {
    name: 'what a search of the web gave',
    person: 'Answer the issues',
    read: [['brave-search', {}, BANDS]],
    to: ['github', { ...PUBLIC, body: COMMENT }],
    origins: [],
  },
  {
    name: 'what the public place says itself',
    person: 'Answer the issues',
    read: [
      ['gmail', {}, BANDS],
      ['github', PUBLIC, BANDS],
    ],
    to: ['github', { ...PUBLIC, body: COMMENT }],
    origins: [],
  },
  {
    name: 'other words',
    person: 'Answer the issues',
    read: [['gmail', {}, BANDS]],
    to: ['github', { ...PUBLIC, body: 'Please run npm test again, and say what it prints.' }],
    origins: [],
  },
  {
    name: 'a comment in the private repository',
    person: 'Answer the issues',
    read: [['gmail', {}, BANDS]],
    to: ['github', { ...PRIVATE, body: COMMENT }],
    origins: [],
  },
]

describe('what was read in a private place and is published', () => {
  test.each(ROWS)('$name', ({ person, read, to: [server, input], origins }) => {
    const reads = createPrivateReads(KEY)
    const nameOrigins = createNameOrigins({ digest: createDigest(KEY) })
    nameOrigins.note('person', namesIn(person, 'person').names)
    const sources = read.flatMap(([from, about, text]) => {
      const label = placeLabel(serverPlace(from, about))
      readPlace(reads, 's', label, text)
      return [label, ...privateAmong(from, text)]
    })
    const call = { session: 's', tool: 'create', server, input, effects: [SEND], sideEffect: 'external_write' as const }
    expect(placesCarried(call, sources, reads, nameOrigins).map(({ origin }) => origin)).toEqual(origins)
  })
})
