import fc from 'fast-check'
import { composeGuard } from '../../src/assembly/guard/compose-guard.ts'
import { givenSurface, givenWorld } from '../../src/assembly/guard/given-guard.ts'
import { loadConfig } from '../../src/config/load.ts'
import { openSettings } from '../../src/config/settings.ts'
import { applyEdits } from '../../src/core/edits.ts'
import type { Guard } from '../../src/core/guard.ts'
import { LONGEST_TEXT, MOST_NAMES, namesIn } from '../../src/evidence/labels/names.ts'
import { disguised } from '../../src/evidence/labels/disguises.ts'
import { createSecretMemory } from '../../src/evidence/labels/secret-memory.ts'
import { EVENT_NAMES } from '../../src/hosts/claude-code/events.ts'
import { createClaudeCodeHost } from '../../src/hosts/claude-code/host.ts'
import { EVENT_NAMES as HOOK_NAMES } from '../../src/hosts/openclaw/events.ts'
import { createOpenClawHost } from '../../src/hosts/openclaw/host.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { canonicalJson } from '../../src/protocol/canonical-json.ts'
import { cutDepth, cutLength } from '../../src/record/trace/limits.ts'
import { fake } from '../support/fake.ts'
import { anyValue } from './hostile-json.ts'
import { hostileTexts } from './hostile-texts.ts'
import { holds, isSame } from './laws.ts'
import { CODE, NAMES, SECRETS, SHELL, URLS, WINDOWS } from './pieces.ts'
import { target } from './target.ts'
import type { Target } from './target.ts'

const KEY = new Uint8Array(32).fill(7)

const labelTargets: readonly Target[] = [
  target('names', hostileTexts([...NAMES, ...URLS]), (text) => {
    for (const speaker of ['person', 'workspace', 'untrusted'] as const) {
      const { names } = isSame(namesIn(text, speaker), namesIn(text, speaker))
      holds('names are bounded', names.length <= MOST_NAMES && names.every(({ value }) => value.length <= 256), names)
    }
  }),
  target('unwrap-secrets', hostileTexts([...SECRETS, ...URLS]), (text) => {
    const forms = disguised([text])
    holds('the text itself is among its forms', forms[0] === text.slice(0, LONGEST_TEXT))
    holds('forms are bounded', forms.reduce((sum, form) => sum + form.length, 0) <= 6 * LONGEST_TEXT)
  }),
  target(
    'secret-memory',
    fc.record({ text: hostileTexts([...SECRETS, ...NAMES]), other: hostileTexts(SECRETS), seed: fc.nat(1_000) }),
    ({ text, other, seed }) => {
      const memory = createSecretMemory({ key: KEY, most: 4 })
      const secret = fake('', 24, 'alnum', seed)
      for (const one of [other, text, secret]) memory.learn(one, ['a.example'])
      holds('secrets kept are bounded', memory.count <= 4)
      const carriers = [secret, btoa(secret), Buffer.from(secret).toString('hex'), encodeURIComponent(secret)]
      for (const carrier of carriers)
        holds(
          'a secret is seen in any call that holds it',
          memory.seenIn([text, ` ${carrier} `, other]).length > 0,
          carrier,
        )
    },
  ),
]

const FIELDS = [
  'session_id',
  'cwd',
  'prompt',
  'command_name',
  'tool_name',
  'tool_input',
  'tool_use_id',
  'tool_response',
  'tool_calls',
  'error',
  'delta',
  'transcript_path',
  'permission_mode',
  'agent_id',
  'agent_type',
  'last_assistant_message',
  'source',
  'reason',
  'message',
  '__proto__',
]

const event: fc.Arbitrary<JsonObject> = fc
  .record({
    name: fc.constantFrom(...EVENT_NAMES, 'Nothing', '__proto__'),
    tool: fc.constantFrom('Bash', 'PowerShell', 'Read', 'Write', 'WebFetch', 'mcp__slack__post_message', 'Task'),
    input: hostileTexts([...SHELL, ...WINDOWS, ...CODE, ...URLS]),
    output: anyValue,
    // A fourth of the events has strange values in the places of others.
    strange: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.tuple(fc.constantFrom(...FIELDS), anyValue), { maxLength: 3 }) },
    ),
  })
  .map(({ name, tool, input, output, strange }) => ({
    session_id: `s${input.length % 16}`,
    cwd: '/home/dev/app',
    hook_event_name: name,
    prompt: input,
    command_name: 'deploy',
    tool_name: tool,
    tool_input: { command: input, file_path: input, url: input, content: output, text: output },
    tool_use_id: `t${input.length}`,
    tool_response: output,
    tool_calls: [{ tool_name: tool, tool_input: { command: input }, tool_use_id: 'b1', tool_response: output }],
    error: input,
    delta: input,
    message: input,
    ...Object.fromEntries(strange),
  }))

/** A hook call of the plugin for OpenClaw, with hostile texts in the places of every hook's event. */
const hookCall = fc
  .record({
    hook: fc.constantFrom(...HOOK_NAMES),
    tool: fc.constantFrom('exec', 'write', 'web_fetch', 'message', 'github__search', 'apply_patch'),
    input: hostileTexts([...SHELL, ...WINDOWS, ...CODE, ...NAMES]),
    output: hostileTexts([...SECRETS, ...URLS, ...NAMES]),
    strange: fc.array(fc.tuple(fc.constantFrom('content', 'params', 'message', 'result', 'messages'), anyValue), {
      maxLength: 1,
    }),
  })
  .map(({ hook, tool, input, output, strange }) => ({
    hook,
    event: {
      toolName: tool,
      toolCallId: `t${input.length}`,
      params: { command: input, path: input, url: input, content: output, message: output },
      args: { command: input },
      result: { content: [{ type: 'text', text: output }], details: { aggregated: output } },
      content: input,
      body: input,
      cleanedBody: input,
      prompt: input,
      messages: [{ role: 'user', content: output }],
      historyMessages: [{ role: 'assistant', content: [{ type: 'text', text: output }] }],
      assistantTexts: [output],
      lastAssistantMessage: output,
      payload: { text: output, mediaUrl: input },
      kind: 'final',
      message: { role: input.length % 2 === 0 ? 'assistant' : 'user', content: [{ type: 'text', text: output }] },
      decision: 'deny',
      ...Object.fromEntries(strange),
    },
    context: { sessionKey: 'agent:main:fuzz', toolName: tool, workspaceDir: '/home/dev/app' },
  }))

const createFuzzedGuard = (): Guard => {
  const locations = { managed: '/nonexistent/managed', user: '/nonexistent/user' }
  const settings = openSettings({ locations, home: '/home/dev', data: '/nonexistent' }, () => {})
  return composeGuard({
    config: loadConfig([]),
    policiesFor: (project) => settings.current().policiesFor(project),
    world: givenWorld({ home: '/home/dev', files: { '/home/dev/app/.env': '', '/home/dev/app/a.ts': '' } }),
    surface: givenSurface('/home/dev'),
    clock: { now: () => 0, after: () => () => undefined },
  }).guard
}

const hostTargets = (guard: Guard): readonly Target[] => {
  const host = createClaudeCodeHost()
  const openclaw = createOpenClawHost()
  const arrival = { at: 1, makeId: () => 'made' }
  return [
    target('claude-code-events', event, (body) => {
      const decoded = host.decode(body, arrival)
      if (decoded.outcome === 'rejected') return holds('a refusal has a reason', decoded.reason !== '')
      const again = host.decode(body, arrival)
      holds('the same event is the same step', again.outcome === 'step')
      isSame(decoded.step, again.outcome === 'step' ? again.step : decoded.step)
    }),
    target(
      'openclaw-events',
      hookCall,
      (call) => {
        const decoded = openclaw.decode(call, arrival)
        if (decoded.outcome === 'rejected') return holds('a refusal has a reason', decoded.reason !== '')
        const again = openclaw.decode(call, arrival)
        isSame(decoded.step, again.outcome === 'step' ? again.step : decoded.step)
        const outcome = guard.decideNow(decoded.step, decoded.power)
        holds(
          'the guard itself never fails',
          !outcome.verdict.reasonCodes.some((code) => /^SP_(?:ANALYSIS|GUARDIAN|EDIT)/.test(code)),
          outcome.verdict,
        )
        const answer = decoded.encode(outcome) as JsonObject
        holds('an answer is JSON', typeof JSON.stringify(answer) === 'string')
      },
      { slow: true },
    ),
    target(
      'guard',
      event,
      (body) => {
        const decoded = host.decode(body, arrival)
        if (decoded.outcome === 'rejected') return
        const outcome = guard.decideNow(decoded.step, decoded.power)
        const { verdict, step, evidence } = outcome
        holds(
          'the guard itself never fails',
          !verdict.reasonCodes.some((code) => /^SP_(?:ANALYSIS|GUARDIAN|EDIT)/.test(code)),
          verdict,
        )
        if (verdict.decision === 'deny') holds('a denial has a reason', verdict.reason !== '')
        if (verdict.decision === 'modify') {
          const applied = applyEdits(step.payload as unknown as Json, verdict.edits)
          holds('edits apply', applied.outcome === 'applied', verdict.edits)
        }
        holds(
          'findings have places',
          evidence.findings.every(({ span }) => span.end >= span.start && span.start >= 0),
        )
        JSON.stringify(decoded.encode(outcome))
      },
      { slow: true },
    ),
  ]
}

const LIMITS = { stringLength: 200, depth: 6, total: 1_000 }

const recordTargets: readonly Target[] = [
  target('canonical-json', event, (value) => {
    const text = canonicalJson(value)
    holds('canonical JSON read and written again is the same', canonicalJson(JSON.parse(text) as Json) === text, text)
  }),
  target('trace-limits', event, (value) => {
    const cut = cutLength(cutDepth(value, LIMITS).value, LIMITS)
    holds('a cut event is bounded', JSON.stringify(cut.value).length < 40_000, cut.truncated)
    isSame(cut, cutLength(cutDepth(value, LIMITS).value, LIMITS))
  }),
]

/** What a session remembers, what hosts send, what the whole guard answers, and what is written down. */
export const createSessionTargets = (): readonly Target[] => [
  ...labelTargets,
  ...hostTargets(createFuzzedGuard()),
  ...recordTargets,
]
