import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decidedAs, read, verdictIn } from '../../../test/support/golden.ts'
import { EVENT_NAMES } from './events.ts'
import { createClaudeCodeHost } from './host.ts'

/**
 * test/golden/claude-code/CASE/: event.json is what the host sends, verdict.json the guard's verdict (allow when
 * absent); step.json and reply.json are the results. UPDATE_GOLDEN=1 rewrites these two.
 */
const FOLDER = join(import.meta.dirname, '../../../test/golden/claude-code')
const UPDATE = process.env['UPDATE_GOLDEN'] === '1'
const CASES = readdirSync(FOLDER).toSorted()

const results = (folder: string): Readonly<Record<string, unknown>> => {
  const host = createClaudeCodeHost()
  const decoded = host.decode(read(join(folder, 'event.json')), { at: 1_800_000_000_000, makeId: () => 'made-1' })
  if (decoded.outcome === 'rejected')
    return {
      'step.json': { rejected: decoded.code, reason: decoded.reason },
      'reply.json': decoded.reply,
    }
  return {
    'step.json': { step: decoded.step, power: decoded.power },
    'reply.json': decoded.encode(decidedAs(decoded.step, verdictIn(folder))),
  }
}

describe('golden cases', () => {
  test.each(CASES)('%s', (name) => {
    const folder = join(FOLDER, name)
    for (const [file, result] of Object.entries(results(folder))) {
      const path = join(folder, file)
      if (UPDATE) writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`)
      expect(result, path).toEqual(read(path))
    }
  })

  test('every event has a case', () => {
    const events = new Set(
      CASES.map((name) => (read(join(FOLDER, name, 'event.json')) as { hook_event_name?: string }).hook_event_name),
    )
    expect(EVENT_NAMES.filter((name) => !events.has(name))).toEqual([])
  })
})
