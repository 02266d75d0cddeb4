import fc from 'fast-check'
import { definitionFindings } from '../../src/evidence/definitions/definition-findings.ts'
import type { NamedDefinition } from '../../src/evidence/definitions/definition-texts.ts'
import { caseOf } from '../../src/guardians/judge/case.ts'
import { DIALECTS } from '../../src/guardians/judge/dialects.ts'
import { judgementIn, promptOf } from '../../src/guardians/judge/prompt.ts'
import { SEVERITIES } from '../../src/protocol/evidence.ts'
import { isObject } from '../../src/protocol/json.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { valueAt } from '../../src/protocol/json-pointer.ts'
import type { StepOf } from '../../src/protocol/step.ts'
import { anyValue, spoiltJson } from './hostile-json.ts'
import { holds, isSame } from './laws.ts'
import { target } from './target.ts'
import type { Target } from './target.ts'

const NONCE = 'nonce-1'
const JUDGED = JSON.stringify({ nonce: NONCE, verdict: 'asked' })

/** A sound answer of each API. */
const ANSWERS = [
  { choices: [{ finish_reason: 'stop', message: { content: JUDGED, refusal: null } }], usage: { total_tokens: 9 } },
  { stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'judgement', input: JSON.parse(JUDGED) as Json }] },
  { done: true, done_reason: 'stop', message: { content: JUDGED }, eval_count: 3 },
] as const satisfies readonly JsonObject[]

const DIALECT_NAMES = ['openai', 'anthropic', 'ollama'] as const

const callOf = (value: Json): StepOf<'toolCallRequest'> => ({
  id: '1',
  host: 'h',
  event: 'E',
  at: 0,
  session: { id: 's' },
  agent: { id: 'main', role: 'main' },
  kind: 'toolCallRequest',
  payload: { tool: { name: 'pay' }, input: { to: value, [JSON.stringify(value).slice(0, 50)]: [value] } },
})

const properties = (schema: Json): JsonObject => ({ description: 'Adds.', inputSchema: { properties: { a: schema } } })

/** Models as judges, whatever they answer and are shown; definitions of tools, whatever is in them. */
export const createJudgeTargets = (): readonly Target[] => [
  target('judge answers', fc.record({ api: fc.nat(2), answer: spoiltJson(ANSWERS) }), ({ api, answer }) => {
    const said = DIALECTS[DIALECT_NAMES[api] ?? 'openai'].read(answer)
    isSame(said, DIALECTS[DIALECT_NAMES[api] ?? 'openai'].read(answer))
    if (said.outcome === 'failed') return holds('a failure says why', said.cause !== '')
    if (judgementIn(said.value, NONCE) === undefined) return
    holds(
      'a judgement has the form',
      isObject(said.value) && said.value['nonce'] === NONCE && Object.keys(said.value).length === 2,
      said.value,
    )
  }),
  target('judge questions', fc.tuple(anyValue, anyValue), ([value, other]) => {
    const text = JSON.stringify([value, other])
    const words = [
      { by: 'person', text } as const,
      { by: 'stranger', text: typeof value === 'string' ? value : text, source: text } as const,
    ]
    const one = caseOf(callOf(other), words, { authority: { by: 'stranger' }, mask: (_, shown) => shown })
    const lines = promptOf(one, NONCE).user.split('\n')
    holds('a question is one line in its frame', lines.length === 3 && lines[2] === `END ${NONCE}`, lines.length)
    holds('no mark of a template leaves the frame', !/[<>|`\u2028\u2029]|\[\/?INST/.test(lines[1] ?? ''), lines[1])
    isSame<unknown>(one, JSON.parse(lines[1] ?? ''))
  }),
  target('definitions', spoiltJson([properties({ type: 'string', description: 'A <b>text</b>' })]), (definition) => {
    // A server sends what it likes; only its name is known to be one.
    const tool = { ...definition, name: 'add' } as unknown as NamedDefinition
    const found = definitionFindings({ server: 's', tools: [tool] })
    isSame(found, definitionFindings({ server: 's', tools: [tool] }))
    for (const { severity, pointer } of found) {
      holds('a severity is known', SEVERITIES.includes(severity))
      holds('a finding lies in the definition', valueAt(tool as unknown as Json, pointer) !== undefined, pointer)
    }
  }),
]
