import { describe, expect, test } from 'vitest'
import type { Effect, EffectKind, EffectTrait, Finding, Target } from '../../protocol/evidence.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { createDigest } from './digest.ts'
import type { KeptContent } from './kept-files.ts'
import { learnSeen, learnStored, storedSent } from './stored-files.ts'
import type { StoringCall } from './stored-files.ts'
import { createTaintedStore } from './tainted-store.ts'

const digest = createDigest(new Uint8Array(32).fill(7))

const effect = (kind: EffectKind, target: Target, traits: readonly EffectTrait[] = []): Effect => ({
  kind,
  by: 'x',
  targets: [target],
  certainty: 'certain',
  traits,
})
const file = (path: string, raw = path): Target => ({ type: 'path', raw, path, zone: 'workspace' })
const host = (name: string): Target => ({ type: 'host', host: name })
const resource = (name: string): Target => ({ type: 'resource', name })

const call = (effects: readonly Effect[], input: JsonObject = {}, server = false): StoringCall => ({
  session: 's',
  effects,
  input,
  cwd: '/app',
  server,
})
const write = (path: string, ...traits: readonly EffectTrait[]): Effect => effect('fs.write', file(path), traits)
const send = effect('net.send', host('e.example'))
const sent = (path: string): StoringCall => call([effect('fs.read', file(path)), send])
const toTool = (input: JsonObject): StoringCall => call([effect('tool.call', resource('upload'))], input, true)
const copy = (from: string, to: string): StoringCall => call([effect('fs.read', file(from)), write(to)])

/** What the words of a call hold, where they hold a secret. */
const SAID: KeptContent = { as: 'secret', from: 'file /app/.env', own: ['own.example'] }
/** A call, and whether its own words hold a secret. */
type Before = readonly [call: StoringCall, said?: KeptContent]

const E = '/app/e.txt'
const FILLED: Before = [call([write(E, 'secret')])]

const ROWS: readonly {
  readonly name: string
  readonly before: readonly Before[]
  readonly call: StoringCall
  readonly types: readonly string[]
}[] = [
  { name: 'a file that an earlier call put a secret into', before: [FILLED], call: sent(E), types: ['kept-secret'] },
  { name: 'a dump of an earlier call', before: [[call([write(E, 'whole')])]], call: sent(E), types: ['kept-whole'] },
  {
    name: 'a file that the agent wrote a secret into',
    before: [[call([write(E)]), SAID]],
    call: sent(E),
    types: ['kept-secret'],
  },
  { name: 'a copy', before: [FILLED, [copy(E, '/app/b')]], call: sent('/app/b'), types: ['kept-secret'] },
  {
    name: 'a copy of a copy, in another folder',
    before: [FILLED, [copy(E, '/app/b')], [copy('/app/b', '/tmp/c')]],
    call: sent('/tmp/c'),
    types: ['kept-secret'],
  },
  {
    name: 'what was moved',
    before: [FILLED, [call([effect('fs.delete', file(E)), write('/app/b')])]],
    call: sent('/app/b'),
    types: ['kept-secret'],
  },
  {
    name: 'the place that it was moved from',
    before: [FILLED, [call([effect('fs.delete', file(E)), write('/app/b')])]],
    call: sent(E),
    types: [],
  },
  {
    name: 'an archive of its folder',
    before: [
      [call([write('/app/out/e.txt', 'secret')])],
      [call([effect('fs.read', file('/app/out'), ['recursive']), write('/app/a.tgz')])],
    ],
    call: sent('/app/a.tgz'),
    types: ['kept-secret'],
  },
  {
    name: 'a relative path, from another folder than is known',
    before: [[call([write('/home/dev/shop/public/e.json')]), SAID]],
    call: call([effect('fs.read', file('/app/public/e.json', './public/e.json')), send]),
    types: ['kept-secret'],
  },
  {
    name: 'the same in another session, which has a folder of its own',
    before: [[call([write('/home/dev/shop/public/e.json')]), SAID]],
    call: { ...call([effect('fs.read', file('/app/public/e.json', './public/e.json')), send]), session: 'other' },
    types: [],
  },
  {
    name: 'a relative path of which many files have the end',
    before: [[call([write('/home/dev/shop/public/e.json')]), SAID]],
    call: call([effect('fs.read', file('/app/e.json', 'e.json')), send]),
    types: [],
  },
  {
    name: 'the folder, whole',
    before: [[call([write('/app/out/e.txt', 'secret')])]],
    call: call([effect('fs.read', file('/app/out'), ['recursive']), send]),
    types: ['kept-secret'],
  },
  {
    name: 'what more was appended to',
    before: [FILLED, [call([write(E, 'append')])]],
    call: sent(E),
    types: ['kept-secret'],
  },
  { name: 'what was written anew', before: [FILLED, [call([write(E)])]], call: sent(E), types: [] },
  {
    name: 'what a command that names it wrote anew',
    before: [FILLED, [call([effect('fs.read', file('/app/x')), write(E)], { command: 'cp ./x ./e.txt' })]],
    call: sent(E),
    types: [],
  },
  {
    name: 'what a tool of a server is to upload',
    before: [FILLED],
    call: toTool({ files: [{ local: '/app/e.txt' }] }),
    types: ['kept-secret'],
  },
  {
    name: 'what a command names only',
    before: [FILLED],
    call: call([send], { command: 'acme-upload --file=e.txt' }),
    types: ['kept-secret'],
  },
  {
    name: 'a push of what was committed',
    before: [FILLED, [call([effect('vcs.change', resource('add'))], { command: 'git add e.txt' })]],
    call: call([effect('vcs.publish', resource('in:/app'))]),
    types: ['kept-within'],
  },
  {
    name: 'a push of everything that there was',
    before: [FILLED, [call([effect('vcs.change', resource('add'))], { command: 'git add -A && git commit -m x' })]],
    call: call([effect('vcs.publish', resource('in:/app'))]),
    types: ['kept-within'],
  },
  {
    name: 'a push of another file',
    before: [
      FILLED,
      [call([effect('vcs.change', resource('add'))], { command: 'git add src && git commit -m "not e.txt"' })],
    ],
    call: call([effect('vcs.publish', resource('in:/app'))]),
    types: [],
  },
  {
    name: 'a deployment in another session',
    before: [FILLED],
    call: { ...call([effect('cloud.change', resource('vercel deploy'))]), session: 'other' },
    types: [],
  },
  { name: 'another session', before: [FILLED], call: { ...sent(E), session: 'other' }, types: ['kept-secret'] },
  {
    name: 'what a program packed beside it',
    before: [FILLED, [call([effect('fs.read', file(E))], { command: 'gzip e.txt' })]],
    call: sent('/app/e.txt.gz'),
    types: ['kept-secret'],
  },
  {
    name: 'what a program of which little is known made of it',
    before: [FILLED, [call([], { command: 'acme-convert e.txt -o page.html' })]],
    call: sent('/app/page.html'),
    types: ['kept-secret'],
  },
  {
    name: 'a file of a folder that was copied',
    before: [
      [call([write('/app/out/e.txt', 'secret')])],
      [call([effect('fs.read', file('/app/out'), ['recursive']), write('/tmp/two')])],
    ],
    call: sent('/tmp/two/e.txt'),
    types: ['kept-secret'],
  },
  {
    name: 'a copy into a folder',
    before: [FILLED, [copy(E, '/app/web')]],
    call: sent('/app/web/e.txt'),
    types: ['kept-secret'],
  },
  {
    name: 'a message that speaks of it',
    before: [FILLED],
    call: toTool({ text: 'I wrote e.txt and /app/e.txt for you' }),
    types: [],
  },
  {
    name: 'a command that speaks of it',
    before: [FILLED],
    call: call([send], { command: 'gh issue create --body "see ./e.txt for it"' }),
    types: [],
  },
  {
    name: 'an image of a container with the folder in it',
    before: [FILLED],
    call: call([{ ...send, by: 'docker' }]),
    types: ['kept-within'],
  },
  {
    name: 'a push of other commits',
    before: [FILLED],
    call: call([effect('vcs.publish', resource('in:/app'))]),
    types: [],
  },
  {
    name: 'a deployment of the folder',
    before: [FILLED],
    call: call([effect('cloud.change', resource('vercel deploy'))]),
    types: ['kept-within'],
  },
  {
    name: 'a deployment beside a file that holds the settings of this machine',
    before: [[call([write('/app/.env.local')]), SAID]],
    call: call([effect('cloud.change', resource('vercel deploy'))]),
    types: [],
  },
  {
    name: 'the place that the secret belongs to',
    before: [[call([write(E)]), SAID]],
    call: call([effect('fs.read', file(E)), effect('net.send', host('own.example'))]),
    types: [],
  },
  { name: 'a file that was filled with anything else', before: [[call([write(E)])]], call: sent(E), types: [] },
  { name: 'another file', before: [[call([write('/app/other', 'secret')])]], call: sent(E), types: [] },
  {
    name: 'this machine',
    before: [FILLED],
    call: call([effect('fs.read', file(E)), effect('net.send', host('localhost:3000'))]),
    types: [],
  },
  { name: 'reading alone', before: [FILLED], call: call([effect('fs.read', file(E))]), types: [] },
]

describe('what is sent of a file that an agent filled', () => {
  test.each(ROWS)('$name', ({ before, call: last, types }) => {
    const store = createTaintedStore({ digest })
    for (const [one, said] of before) learnStored(one, store.files, said)
    const isHome = (own: readonly string[]): boolean =>
      last.effects.some(({ targets }) => targets.some((target) => target.type === 'host' && own.includes(target.host)))
    expect(storedSent(last, store.files, isHome).findings.map(({ type }) => type)).toEqual(types)
    const again = createTaintedStore({ digest })
    for (const fact of store.facts()) again.restore(fact)
    expect(storedSent(last, again.files, isHome).findings.map(({ type }) => type)).toEqual(types)
  })

  test('a file that showed a secret does not leave by its name; commits and folders are as before', () => {
    const store = createTaintedStore({ digest })
    const found: Finding = {
      category: 'secret',
      type: 'github-token',
      severity: 'high',
      confidence: 1,
      detector: 'secrets',
      span: { pointer: '/output', start: 0, end: 4 },
    }
    const shown = call([effect('fs.read', file('/app/conf/a.ini'))])
    learnSeen(shown, store.files, [{ ...found, category: 'pii' }])
    expect(store.files.isEmpty).toBe(true)
    learnSeen(shown, store.files, [found])
    const typesOf = (last: StoringCall): readonly string[] =>
      storedSent(last, store.files, () => false).findings.map(({ type }) => type)
    expect(typesOf(sent('/app/conf/a.ini'))).toEqual(['kept-secret'])
    expect(typesOf(sent('/app/conf/b.ini'))).toEqual([])
    expect(typesOf(call([effect('vcs.publish', host('git.example')), send], { command: 'git push' }))).toEqual([])
  })

  test('says which file and where its content came from', () => {
    const { files } = createTaintedStore({ digest })
    learnStored(call([write(E)]), files, SAID)
    learnStored(copy(E, '/app/b'), files, undefined)
    expect(storedSent(sent('/app/b'), files, () => false).origins).toEqual([
      { effect: 'fs.read', role: 'content', target: '/app/b', origin: 'workspace', source: 'file /app/.env' },
    ])
  })

  test('is bounded: the oldest is dropped', () => {
    const { files } = createTaintedStore({ digest })
    for (let number = 0; number < 1_100; number++)
      learnStored(call([write(`/app/${number}`, 'secret')]), files, undefined)
    expect([files.facts().length, files.at('/app/0'), files.at('/app/1099')?.as]).toEqual([1_024, undefined, 'secret'])
  })
})
