import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isObject } from '../protocol/json.ts'
import { PROTECTIONS } from './settings/modes.ts'
import { SETTING_ROWS } from './settings/setting-table.ts'
import { readSettings } from './settings/settings.ts'

const readme = readFileSync(join(import.meta.dirname, '../../npm/openclaw/README.md'), 'utf8')

test('the README of the plugin names every protection', () => {
  const named = [...readme.matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1])
  expect(new Set(named)).toEqual(new Set(['guard', ...PROTECTIONS.map(({ protection }) => protection)]))
})

test('every setting that it mentions exists', () => {
  const keys: readonly string[] = SETTING_ROWS.map(({ key }) => key)
  const rows = [...readme.matchAll(/\| (?:its mode: )?`("\w+": .+)` \|$/gm)].map((match) => match[1] ?? '')
  expect(rows).toHaveLength(5)
  for (const row of rows) {
    const config: unknown = JSON.parse(`{${row.replaceAll('`', '')}}`)
    expect(Object.keys(isObject(config) ? config : {}).filter((key) => !keys.includes(key))).toEqual([])
    expect(readSettings(config)).toBeDefined()
  }
})
