import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { readAnswer } from '../../src/guardians/aiceberg/api.ts'
import { opinionOf } from '../../src/guardians/aiceberg/opinion.ts'
import { maskedStep } from '../../src/guardians/aiceberg/redact.ts'
import { isReported, eventContentsOf } from '../../src/guardians/aiceberg/event-contents.ts'
import { createTurnAssembler } from '../../src/hosts/claude-code/transcript/assemble-turns.ts'
import type { Assembled } from '../../src/hosts/claude-code/transcript/assemble-turns.ts'
import { readEntry } from '../../src/hosts/claude-code/transcript/entry.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { Step } from '../../src/protocol/step.ts'
import { linesOf, text, toolUse } from '../claude-code/transcript-lines.ts'
import { anyValue, spoiltJson } from './hostile-json.ts'
import { holds, isSame } from './laws.ts'
import { target } from './target.ts'
import type { Target } from './target.ts'

const SESSION = 'session-1'
const { user, result, answer } = linesOf(SESSION)

const SOUND = [
  user('u1', 'add 3+5'),
  answer({ uuid: 'a1', message: 'm1', blocks: [text('First the sum.'), toolUse('c1', 'Bash', { command: 'ls' })] }),
  result('r1', 'c1', '8'),
  answer({ uuid: 'a2', message: 'm2', blocks: [text('16')] }),
].map((line) => JSON.parse(line) as JsonObject)

const lines = fc.array(
  spoiltJson(SOUND).map((entry) => JSON.stringify(entry)),
  { maxLength: 8 },
)

const turnsOf = (all: readonly string[]): readonly Assembled[] => {
  const assembler = createTurnAssembler('owner')
  const turns: (Assembled | undefined)[] = []
  let at = 0
  for (const line of all) {
    const entry = readEntry(Buffer.from(line), SESSION)
    const end = at + line.length + 1
    if (entry !== undefined) turns.push(assembler.push(entry, at, end))
    at = end
  }
  return [...turns, assembler.finish()].filter((turn) => turn !== undefined)
}

const TOOL = { name: 'Bash' }

/** Payloads of each kind that is told of, with a hostile value in it. */
const payloadsWith = (value: Json): Readonly<Record<string, Json>> => ({
  userMessage: { text: JSON.stringify(value) },
  toolCallRequest: { tool: TOOL, input: { value } },
  toolCallResult: { tool: TOOL, input: { value }, callId: 'c1', status: 'succeeded', output: value },
  toolResultBatch: { calls: [{ tool: TOOL, input: {}, callId: 'c1', output: value }] },
  modelRequest: { input: [{ role: 'user', content: value }, value] },
  modelResponse: { output: value },
  memoryStore: { store: 's', content: value },
  a2aMessage: { peer: 'p', direction: 'inbound', message: value },
})

const told = fc.tuple(fc.nat(7), anyValue).map(([number, value]) => {
  const [kind = '', payload = {}] = Object.entries(payloadsWith(value))[number] ?? []
  const base = { id: '1', host: 'h', event: 'E', at: 0, session: { id: 's' }, agent: { id: 'main', role: 'main' } }
  return { ...base, kind, payload } as unknown as Step
})

const ANSWER = { event_id: 'e-1', event_result: 'passed', policy: 'p', reason: 'r' }
const FINE = /^(?:passed|pass|allowed|allow|none|flagged|flag)$/i

/** What hosts keep of model calls, and the scanner that they are told to. */
export const createModelTurnTargets = (): readonly Target[] => [
  target('claude-code-transcripts', lines, (all) => {
    const turns = isSame(turnsOf(all), turnsOf(all))
    let before = 0
    for (const { id, taken, offset, input, output } of turns) {
      holds('a turn has a name', /^[0-9a-f-]{36}$/.test(id), id)
      holds('a turn ends after the one before', taken > before, [before, taken])
      holds('what is read again begins at a turn’s end or among its answers', offset >= 0, offset)
      holds('its sides are messages', Array.isArray(input) && Array.isArray(output) && output.length > 0)
      before = taken
    }
  }),
  target('aiceberg-events', told, (step) => {
    holds('it is told of', isReported(step))
    const sendings = isSame(eventContentsOf(step), eventContentsOf(step))
    for (const sending of sendings) {
      holds('no input is empty', sending.input.trim() !== '')
      holds('no output is empty', sending.act === 'create' || sending.output.trim() !== '')
    }
    const masked = eventContentsOf(maskedStep(step, (_, one) => (one.length > 16 ? '[masked:x]' : one)))
    holds('masking tells of as much', masked.length === sendings.length)
  }),
  target('aiceberg-answers', spoiltJson([ANSWER]), (value) => {
    const read = readAnswer(JSON.stringify(value))
    if (read === undefined) return
    holds('an answer names its event and is bounded', read.eventId !== '' && read.result.length <= 300)
    const opinion = opinionOf('aiceberg', { outcome: 'answered', answer: read }, 'enforce')
    const isFine = opinion.outcome === 'verdict' && opinion.decision === 'allow'
    holds('nothing is let pass but what is known to be fine', isFine === FINE.test(read.result), read.result)
    holds('a denial has a reason', opinion.outcome !== 'verdict' || opinion.reason !== '')
  }),
]
