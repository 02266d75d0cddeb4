/**
 * `npm run e2e -- openclaw-walk [CONVERSATIONS] [SEED]`: conversations of random good, bad, malformed and aborted calls and
 * messages over every way in, several at a time. Counted are benign messages that are not answered (`locked`), secrets
 * that a model or a person reads (`leaks`), secrets that rest in the host's state (`kept`), and events of the trace that
 * say masked or refused of what came through all the same (`untrue`). One line of JSON.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { readTrace } from '../trace.ts'
import { entryPaths, overChannel, overHttp, replyTo, type EntryPath } from './entry-paths.ts'
import { startGateway } from './gateway.ts'
import { connectRpc } from './gateway-rpc.ts'
import { createNeedles } from './needles.ts'
import { pluginFolder, sallyportEntry } from './plugin-under-test.ts'
import { testPlugins } from './gateway-config.ts'
import { recordedPlaces, requestFile, type Answer } from './scripted-model.ts'
import { eachCell } from './state-search.ts'
import { startTalk, type Talk } from './talk.ts'

const [, , conversations = '500', seed = '1'] = process.argv
const AT_A_TIME = 4
const ANSWER = 'I am here.'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Numbers that the seed determines. */
const createRandom = (from: number) => {
  let state = from >>> 0
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return {
    below,
    of: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    word: (length: number): string => Array.from({ length }, () => LETTERS[below(LETTERS.length)]).join(''),
  }
}

interface Turn {
  readonly text: string
  readonly answers: readonly Answer[]
  /** What must be read by no model and by no person. */
  readonly core?: string
  /** By another way in than the conversation's own. */
  readonly path?: EntryPath
}

const random = createRandom(Number(seed))

const secret = (): { readonly text: string; readonly core: string } => {
  const core = random.word(36)
  return { text: ['ghp', '_', core].join(''), core }
}

const call = (tool: string, input: Readonly<Record<string, unknown>>): Answer => ({ calls: [{ tool, input }] })
const SORRY: Answer = { say: 'I could not.' }

/** One random turn each. */
const TURNS: Readonly<Record<string, () => Turn>> = {
  benign: () => ({ text: `What is ${random.below(99)} and one?`, answers: [{ say: 'A number.' }] }),
  'good call': () => ({
    text: 'Go on.',
    answers: [call('exec', { command: `echo ${random.below(9)}` }), { say: 'Done.' }],
  }),
  'refused call': () => ({ text: 'Go on.', answers: [call('exec', { command: 'rm -rf ~' }), SORRY] }),
  'unknown tool': () => ({ text: 'Go on.', answers: [call(`no_${random.word(5)}`, { a: 1 }), SORRY] }),
  'wrong arguments': () => ({ text: 'Go on.', answers: [call('exec', { cmd: random.below(9) }), SORRY] }),
  'several calls': () => ({
    text: 'Go on.',
    answers: [
      {
        calls: [
          { tool: 'exec', input: { command: 'echo one' } },
          { tool: 'no_tool', input: {} },
          { tool: 'read', input: {} },
        ],
      },
      { say: 'Some of it.' },
    ],
  }),
  'failing service': () => ({ text: 'Go on.', answers: [{ fails: random.of([429, 500, 503]) }, { say: 'Now.' }] }),
  'no words': () => ({ text: 'Go on.', answers: [{ say: '' }, { say: 'Now.' }] }),
  'secret in a message': () => {
    const { text, core } = secret()
    return { text: `Use ${text} for it.`, answers: [{ say: 'SEEN' }], core }
  },
  'secret in an answer': () => {
    const { text, core } = secret()
    return { text: 'What is it?', answers: [{ say: `It is ${text} as asked.` }], core }
  },
  'secret in a result': () => {
    const { text, core } = secret()
    const half = Math.floor(text.length / 2)
    // In two parts, so that the call itself holds none.
    const command = `printf '%s%s' ${text.slice(0, half)} ${text.slice(half)}`
    return { text: 'Read it.', answers: [call('exec', { command }), { say: 'Read.' }], core }
  },
  'secret for a subagent': () => {
    const { text, core } = secret()
    return {
      text: 'Delegate it.',
      answers: [call('sessions_spawn', { task: `Use ${text} there.` }), { say: 'Sent.' }],
      core,
    }
  },
  'secret in a quotation': () => {
    const { text, core } = secret()
    return { text: 'See above.', answers: [{ say: 'I see.' }], core, path: overChannel(replyTo(`It was ${text}.`)) }
  },
  'secret in a system message': () => {
    const { text, core } = secret()
    return { text: 'As told.', answers: [{ say: 'I see.' }], core, path: overHttp(`The token is ${text}.`) }
  },
}

const gateway = await startGateway({
  folders: [...testPlugins.folders, pluginFolder],
  entries: { ...testPlugins.entries, sallyport: sallyportEntry() },
})
const { address } = gateway
const rpc = await connectRpc(address.port, address.token)
/** A secret, and where it was said. */
interface Look {
  readonly core: string
  readonly kind: string
  readonly session: string
}

const PATHS = Object.values(entryPaths)
const tally = { conversations: 0, turns: 0, locked: 0, leaks: 0, kept: 0, untrue: 0 }
const looks: Look[] = []
const say = (what: string): void => console.error(what)

/** What still runs, such as a subagent that comes back, answers before; what is locked stays so. */
const TRIES = 3
const BETWEEN_MS = 5_000

/** What the conversation says to benign messages where none gets its answer. */
const astray = async (talk: Talk): Promise<string | undefined> => {
  let last = ''
  for (let tries = 0; tries < TRIES; tries++) {
    last = (await talk.turn('Are you there?', { say: ANSWER }, { say: ANSWER }, { say: ANSWER })).shown.last
    if (last === ANSWER) return undefined
    await sleep(BETWEEN_MS)
  }
  return JSON.stringify(last.slice(0, 200))
}

const converse = async (index: number): Promise<void> => {
  const path = random.of(PATHS)
  const id = `w${seed}x${index}`
  const kinds = Array.from({ length: 1 + random.below(4) }, () => random.of(Object.keys(TURNS)))
  const talk = startTalk(address, rpc, path, id)
  for (const kind of kinds) {
    const { text, answers: script, core, path: own } = TURNS[kind]?.() ?? { text: '', answers: [] }
    const speaking = own === undefined || own.name !== path.name ? talk : startTalk(address, rpc, own, `${id}q`)
    const turn = await speaking.turn(text, ...script, SORRY, SORRY)
    tally.turns += 1
    if (core === undefined) continue
    looks.push({ core, kind, session: speaking.sessionKey })
    if (turn.shown.texts.join('\n').includes(core)) {
      tally.leaks += 1
      say(`LEAK to a person: ${kind} over ${path.name} in ${speaking.sessionKey}`)
    }
  }
  const own = await astray(talk)
  if (own !== undefined) {
    tally.locked += 1
    say(`LOCKED: ${talk.sessionKey} after ${kinds.join(', ')}: ${own}`)
  }
  const other = startTalk(address, rpc, random.of(PATHS), `${id}o`)
  const others = await astray(other)
  if (others !== undefined) {
    tally.locked += 1
    say(`LOCKED for another: ${other.sessionKey} after ${kinds.join(', ')}: ${others}`)
  }
  tally.conversations += 1
}

try {
  let next = 0
  const run = async (): Promise<void> => {
    while (next < Number(conversations)) {
      const index = next
      next += 1
      try {
        await converse(index)
      } catch (error) {
        tally.locked += 1
        say(`LOCKED: conversation ${index}: ${String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, run))
  await sleep(5_000)
  // All secrets in one pass over each place: five hundred in hundreds of megabytes.
  const cores = createNeedles<Look>()
  for (const one of looks) cores.add(one.core, one)
  const kept = new Map<Look, Set<string>>()
  await eachCell(address.state, ({ file, column = '' }, bytes) => {
    for (const one of cores.in(bytes)) kept.set(one, (kept.get(one) ?? new Set()).add(`${file} ${column}`))
  })
  for (const [{ kind }, places] of kept) say(`KEPT: ${kind}: ${[...places].join(', ')}`)
  tally.kept = kept.size
  const read = new Set<Look>()
  for (const place of await recordedPlaces(address.model))
    for (const one of cores.in(await readFile(requestFile(address.model, place)))) read.add(one)
  tally.leaks += read.size
  for (const { kind, session } of read) {
    const events = await readTrace(session, `${address.state}/sallyport`, { env: address.env, cwd: address.workspace })
    const claimed = JSON.stringify(events).match(/"decision":"(?:modify|deny)"/) !== null
    if (claimed) tally.untrue += 1
    say(`LEAK to a model: ${kind} in ${session}${claimed ? ', which the trace says was kept from it' : ''}`)
  }
  console.log(JSON.stringify({ name: 'openclaw-walk', seed: Number(seed), secrets: looks.length, figures: tally }))
} finally {
  rpc.close()
  await gateway.stop()
}
