import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { configFileOf, isManagedElsewhere, stateFolderOf } from './places.ts'

test.each<{ name: string; env: Record<string, string>; there?: string; state: string; config: string }>([
  { name: 'no file', env: {}, state: '.openclaw', config: '.openclaw/openclaw.json' },
  {
    name: 'a home of its own',
    env: { OPENCLAW_HOME: '~/oc' },
    state: 'oc/.openclaw',
    config: 'oc/.openclaw/openclaw.json',
  },
  { name: 'a state folder', env: { OPENCLAW_STATE_DIR: '~/s' }, state: 's', config: 's/openclaw.json' },
  {
    name: 'a configuration',
    env: { OPENCLAW_CONFIG_PATH: ' ~/c.json5 ', OPENCLAW_STATE_DIR: '' },
    state: '.openclaw',
    config: 'c.json5',
  },
  {
    name: 'an old folder',
    env: {},
    there: '.clawdbot/clawdbot.json',
    state: '.clawdbot',
    config: '.clawdbot/clawdbot.json',
  },
  {
    name: 'an old name',
    env: {},
    there: '.openclaw/clawdbot.json',
    state: '.openclaw',
    config: '.openclaw/clawdbot.json',
  },
])('where the host looks: $name', ({ env, there, state, config }) => {
  const home = mkdtempSync(join(tmpdir(), 'sp-places-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  if (there !== undefined) {
    mkdirSync(dirname(join(home, there)), { recursive: true })
    writeFileSync(join(home, there), '{}')
  }
  expect(stateFolderOf(env, home)).toBe(join(home, state))
  expect(configFileOf(env, home)).toBe(join(home, config))
})

test.each([
  { env: {}, managed: false },
  { env: { OPENCLAW_CONFIG_READONLY: '1' }, managed: true },
  { env: { OPENCLAW_NIX_MODE: '1', OPENCLAW_CONFIG_READONLY: '0' }, managed: true },
])('$env is a deployment’s: $managed', ({ env, managed }) => {
  expect(isManagedElsewhere(env)).toBe(managed)
})
