import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createClaudeCodeWatch } from '../hosts/claude-code/setup/settings-watch.ts'
import { createMemoryStates } from '../integrity/accepted-states.ts'
import type { AcceptedStates } from '../integrity/accepted-states.ts'
import type { IntegrityEvent } from '../integrity/integrity-watch.ts'
import type { Json } from '../protocol/json.ts'
import type { Step } from '../protocol/step.ts'
import { NO_SIGNED_ACTS } from '../record/signatures/signed-acts.ts'
import { createGuardIntegrity } from './guard-integrity.ts'
import type { GuardIntegrity } from './guard-integrity.ts'

let home: string
let states: AcceptedStates
let events: IntegrityEvent[]
let integrity: GuardIntegrity
let at: number

const open = (): GuardIntegrity =>
  createGuardIntegrity({
    data: join(home, 'data'),
    locations: { managed: join(home, 'etc'), user: join(home, 'config') },
    states,
    hosts: [createClaudeCodeWatch({ env: { SALLYPORT_CLAUDE_MANAGED: join(home, 'managed') }, platform: 'linux' })],
    signed: () => NO_SIGNED_ACTS,
    now: () => at,
    report: (event) => events.push(event),
  })

const file = (...names: readonly string[]): string => {
  const path = join(home, ...names)
  mkdirSync(dirname(path), { recursive: true })
  return path
}
const userSettings = (): string => file('.claude', 'settings.json')
const localSettings = (project = 'project'): string => file(project, '.claude', 'settings.local.json')

const stepOf = (
  kind: Step['kind'],
  payload: Json,
  where: { session?: string; project?: string; cwd?: string } = {},
): Step => {
  const { session = 's', project = 'project', cwd = project } = where
  const root = join(home, project)
  return {
    id: '1',
    host: 'claude-code',
    event: 'Any',
    at,
    session: {
      id: session,
      cwd: join(home, cwd),
      transcript: join(home, '.claude', 'projects', root.replaceAll(/[^a-zA-Z0-9]/g, '-'), `${session}.jsonl`),
    },
    agent: { id: 'main', role: 'main' },
    kind,
    payload,
  } as unknown as Step
}

const call = (where = {}): Step => stepOf('toolCallRequest', { tool: { name: 'Bash' }, input: {} }, where)
const start = (where = {}): Step => stepOf('sessionStart', { source: 'startup' }, where)
const reload = (where = {}): Step => stepOf('notice', { topic: 'config-change', detail: {} }, where)

const codeOf = (step: Step): string => integrity.held(step)?.code ?? 'free'

const OFF = '{"disableAllHooks":true}'

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-integrity-')))
  onTestFinished(() => {
    rmSync(home, { recursive: true, force: true })
  })
  for (const project of ['project', 'other']) mkdirSync(join(home, project, 'sub'), { recursive: true })
  writeFileSync(userSettings(), '{"theme":"dark"}')
  states = createMemoryStates()
  events = []
  at = 1_000_000
  integrity = open()
})

test('a change of the user settings holds every session, and is named', () => {
  expect([codeOf(start()), codeOf(call()), codeOf(call({ session: 't', project: 'other' }))]).toEqual([
    'free',
    'free',
    'free',
  ])
  writeFileSync(userSettings(), OFF)
  expect(integrity.held(call())?.reason).toContain(`${userSettings()}): all hooks were switched off`)
  expect(codeOf(call({ session: 't', project: 'other' }))).toBe('SP_GUARD_CHANGED')
  expect(codeOf(start({ session: 'new' }))).toBe('SP_GUARD_CHANGED')
  expect(codeOf(stepOf('userMessage', { text: 'hi' }))).toBe('SP_GUARD_CHANGED')
})

test('a change in a project holds the sessions of the project, wherever they work', () => {
  expect([codeOf(start()), codeOf(call({ session: 't', project: 'other' }))]).toEqual(['free', 'free'])
  writeFileSync(localSettings(), OFF)
  expect(codeOf(call({ cwd: 'project/sub' }))).toBe('SP_GUARD_CHANGED')
  expect(codeOf(call({ cwd: 'elsewhere' }))).toBe('SP_GUARD_CHANGED')
  expect(codeOf(call({ session: 't', project: 'other' }))).toBe('free')
})

test('what is over is not refused', () => {
  codeOf(start())
  writeFileSync(userSettings(), OFF)
  for (const kind of ['turnEnd', 'sessionEnd', 'agentMessage', 'subagentStop'] as const)
    expect(codeOf(stepOf(kind, {}))).toBe('free')
})

test('a new session does not make a change good that is open', () => {
  codeOf(start())
  writeFileSync(localSettings(), OFF)
  expect(codeOf(call())).toBe('SP_GUARD_CHANGED')
  codeOf(stepOf('sessionEnd', {}))
  expect(codeOf(start({ session: 'next' }))).toBe('SP_GUARD_CHANGED')
  expect(codeOf(call({ session: 'next' }))).toBe('SP_GUARD_CHANGED')
})

test('a guard that starts anew finds the change that it was not there for', () => {
  codeOf(start())
  codeOf(call())
  writeFileSync(localSettings(), OFF)
  integrity = open()
  expect(codeOf(call())).toBe('SP_GUARD_CHANGED')
})

test('what changes in a project between sessions is where the next one begins', () => {
  codeOf(start())
  codeOf(stepOf('sessionEnd', {}))
  writeFileSync(localSettings(), '{"permissions":{"allow":["Bash(make:*)"]}}')
  expect([codeOf(start({ session: 'next' })), codeOf(call({ session: 'next' }))]).toEqual(['free', 'free'])
})

test('while a session runs there, another one that starts does not take its changes over', () => {
  codeOf(start())
  writeFileSync(localSettings(), '{"permissions":{"allow":["Bash(make:*)"]}}')
  expect(codeOf(start({ session: 'nested' }))).toBe('SP_GUARD_CHANGED')
})

test('a permission that the client proposed to the person is no change to hold for', () => {
  codeOf(start())
  const suggestions = [{ type: 'addRules', behavior: 'allow', rules: [{ toolName: 'Bash', ruleContent: 'make:*' }] }]
  codeOf(stepOf('permissionRequest', { tool: { name: 'Bash' }, input: {}, suggestions }))
  writeFileSync(localSettings(), '{"permissions":{"allow":["Bash(make:*)"]}}')
  expect(codeOf(call())).toBe('free')
})

test('changed settings are loaded into a session only after they were accepted, and once', () => {
  codeOf(start())
  expect(codeOf(reload())).toBe('SP_RELOAD_REFUSED')
  writeFileSync(userSettings(), '{"theme":"light"}')
  expect([codeOf(reload()), codeOf(call())]).toEqual(['SP_RELOAD_REFUSED', 'free'])
  writeFileSync(userSettings(), OFF)
  expect(codeOf(reload())).toBe('SP_GUARD_CHANGED')
  const { sha256 } = states.open(userSettings()) ?? { sha256: null }
  states.accept(userSettings(), { sha256, text: OFF })
  expect([codeOf(reload()), codeOf(reload()), codeOf(call())]).toEqual(['free', 'SP_RELOAD_REFUSED', 'free'])
})

test('skills are loaded anew while nothing has changed that matters', () => {
  const skills = (): Step => stepOf('notice', { topic: 'config-change', detail: { source: 'skills' } })
  codeOf(start())
  expect(codeOf(skills())).toBe('free')
  writeFileSync(userSettings(), OFF)
  expect(codeOf(skills())).toBe('SP_GUARD_CHANGED')
})

test('an accepted change of one file does not let the client load another that is open', () => {
  codeOf(start())
  states.accept(userSettings(), { sha256: 'x' })
  writeFileSync(localSettings(), OFF)
  expect(codeOf(reload())).toBe('SP_GUARD_CHANGED')
})

test('while the configuration of the guard has changed, the accepted one is in force', () => {
  const config = file('config', 'sallyport.yaml')
  writeFileSync(config, 'mode: enforce\n')
  expect(integrity.inForce(config)).toBeUndefined()
  writeFileSync(config, 'mode: observe\n')
  expect(integrity.inForce(config)).toEqual({ text: 'mode: enforce\n' })
  expect(codeOf(call())).toBe('SP_GUARD_CHANGED')
  writeFileSync(config, 'mode: enforce # as before\n')
  expect([integrity.inForce(config), codeOf(call())]).toEqual([undefined, 'free'])
  expect(events.map(({ event }) => event)).toEqual(['changed', 'settled'])
})

test('a session that begins under weak settings is told so', () => {
  writeFileSync(
    localSettings(),
    '{"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"http://127.0.0.1:1/v1/hooks/claude-code"}]}]}}',
  )
  expect(integrity.held(start())?.reason).toMatch(/these events do not go through the guard/)
  expect(codeOf(call())).toBe('free')
})
