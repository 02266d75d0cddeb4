import { beforeEach, describe, expect, test } from 'vitest'

import { waitingApproval } from '../../../test/contracts/approval-value.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { createMemoryStore } from '../../record/stores/memory.ts'
import type { EventStore } from '../../record/stores/store.ts'
import { historyOf } from './approval-history.ts'

const T0 = 1_700_000_000_000
const ASKED = waitingApproval('a1', { session: 's', requestedAt: T0 + 100 })

let store: EventStore
beforeEach(() => {
  store = createMemoryStore()
})

const decided = (at: number, command: string, more: JsonObject = {}, session = 's') =>
  store.append({
    session,
    type: 'HookDecision',
    at: T0 + at,
    body: { step: { payload: { tool: { name: 'Bash' }, input: { command } } }, ...more },
  })
const asked = (id: string, evidence: JsonObject = {}, findings: readonly JsonObject[] = []): JsonObject => ({
  verdict: { decision: 'ask', approval: { id, state: 'pending' }, findings },
  evidence,
})
const commands = async (): Promise<readonly string[]> =>
  (await historyOf(store, ASKED)).before.map(({ body }) => /"command":"([^"]*)"/.exec(JSON.stringify(body))?.[1] ?? '')

describe('the events before a call', () => {
  test('are the last decisions of its session, in order, without others and later ones', async () => {
    for (let n = 1; n <= 7; n++) await decided(n, `c${n}`)
    await decided(8, 'elsewhere', {}, 't')
    await decided(9, 'npm publish', asked('a1'))
    await decided(200, 'later')
    expect(await commands()).toEqual(['c3', 'c4', 'c5', 'c6', 'c7'])
  })

  test('are shown even when the call itself is not on record', async () => {
    await decided(1, 'c1')
    await decided(200, 'later')
    expect(await commands()).toEqual(['c1'])
    expect(await historyOf(store, ASKED)).toMatchObject({ does: [], found: [] })
  })
})

describe('the effects of a call', () => {
  test('are shown with their targets, the common ones last, each once', async () => {
    const effects = [
      { kind: 'exec.run', targets: [{ type: 'command', name: 'npm' }] },
      { kind: 'fs.delete', targets: [{ type: 'path', path: '/home/dev', zone: 'home' }], certainty: 'possible' },
      { kind: 'exec.run', targets: [{ type: 'command', name: 'npm' }] },
      {
        kind: 'net.send',
        targets: [
          { type: 'host', host: 'a.org' },
          { type: 'unknown', raw: '$X' },
        ],
      },
      { kind: 'vcs.change' },
    ]
    const finding = { category: 'malicious_url', type: 'confusable-host', severity: 'high' }
    await decided(9, 'npm publish', asked('a1', { effects }, [finding, finding]))
    expect(await historyOf(store, ASKED)).toMatchObject({
      does: ['fs.delete /home/dev (home), possibly', 'net.send a.org, $X', 'vcs.change', 'exec.run npm'],
      found: ['malicious_url:confusable-host high'],
    })
  })

  test('come from the decision about this very approval', async () => {
    await decided(8, 'npm publish', asked('other', { effects: [{ kind: 'fs.delete' }] }))
    await decided(9, 'npm publish', asked('a1', { effects: [{ kind: 'net.send' }] }))
    expect(await historyOf(store, ASKED)).toMatchObject({ does: ['net.send'] })
  })

  test.each<{ name: string; body: JsonObject }>([
    { name: 'no evidence', body: { verdict: { approval: { id: 'a1' } } } },
    {
      name: 'another shape',
      body: { verdict: { approval: { id: 'a1' }, findings: 3 }, evidence: { effects: ['x', 1] } },
    },
    { name: 'no verdict', body: { verdict: null } },
  ])('are empty when the record has $name', async ({ body }) => {
    await decided(9, 'npm publish', body)
    expect(await historyOf(store, ASKED)).toMatchObject({ does: [], found: [] })
  })
})
