import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { recordRegistration } from '../../../test/support/openclaw-registration.ts'
import { readSettings } from '../settings/settings.ts'
import { openShared } from './plugin-instance.ts'
import type { Shared } from './plugin-instance.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-shared-'))
const nowhere = { server: { socket: join(folder, 'none.sock') } }
const CALL = { hook: 'before_tool_call', event: { toolName: 'exec', params: {} }, context: {} }

afterAll(() => {
  rmSync(folder, { recursive: true })
})

const opened = (
  config: Readonly<Record<string, unknown>>,
): { readonly shared: Shared; readonly log: readonly string[] } => {
  const made: Shared[] = []
  const { log } = recordRegistration((api) => {
    made.push(openShared(readSettings(config), api))
  })
  const [shared] = made
  if (shared === undefined) throw new Error('nothing was shared')
  onTestFinished(() => shared.end())
  return { shared, log }
}

test('nothing is opened, nor left, until somebody asks', async () => {
  const before = process.getActiveResourcesInfo().length
  const { shared } = opened({ data: join(folder, 'data') })
  expect([shared.scene.instant(), readdirSync(folder)]).toEqual([false, []])
  await shared.end()
  expect([process.getActiveResourcesInfo().length, readdirSync(folder)]).toEqual([before, []])
})

test.each([
  { name: 'a server that is not there refuses', config: nowhere, decision: 'deny' },
  { name: 'or lets pass, where that was wanted', config: { ...nowhere, fail_closed: false }, decision: 'allow' },
])('$name, and the log says so', async ({ config, decision }) => {
  const { shared, log } = opened(config)
  expect((await shared.scene.asker.ask(CALL)).verdict.decision).toBe(decision)
  expect(log).toEqual([expect.stringMatching(/^warn: .*before_tool_call/)])
})

test('where a server is asked, nothing is said at once for good', () => {
  expect(opened(nowhere).shared.scene.instant()).toBe(false)
})

test('the key of a scanner is in nothing that is said', async () => {
  const key = ['key', 'of', 'nobody', '12345'].join('-')
  const { shared, log } = opened({ api_key: key, data: join(folder, 'none', '\0') })
  const answer = await shared.scene.asker.ask(CALL)
  expect(answer.verdict.decision).toBe('deny')
  expect(JSON.stringify([answer, log])).not.toContain(key)
})
