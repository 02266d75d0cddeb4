import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decidedAs, read, verdictIn } from '../../../test/support/golden.ts'
import type { Verdict } from '../../protocol/verdict.ts'
import { EVENT_NAMES, eventRow } from './events.ts'
import { createOpenClawHost } from './host.ts'

/**
 * test/golden/openclaw/CASE/: event.json is what the plugin sends of a hook call, verdict.json the guard's verdict
 * (allow when absent); step.json and reply.json are the results. UPDATE_GOLDEN=1 rewrites these two.
 */
const FOLDER = join(import.meta.dirname, '../../../test/golden/openclaw')
const UPDATE = process.env['UPDATE_GOLDEN'] === '1'
const CASES = readdirSync(FOLDER).toSorted()

const verdictOf = (name: string): Verdict => verdictIn(join(FOLDER, name))

const results = (name: string): Readonly<Record<string, unknown>> => {
  const decoded = createOpenClawHost().decode(read(join(FOLDER, name, 'event.json')), {
    at: 1_800_000_000_000,
    makeId: () => 'made-1',
  })
  if (decoded.outcome === 'rejected')
    return {
      'step.json': { rejected: decoded.code, reason: decoded.reason },
      'reply.json': decoded.reply,
    }
  return {
    'step.json': { step: decoded.step, power: decoded.power },
    'reply.json': decoded.encode(decidedAs(decoded.step, verdictOf(name))),
  }
}

describe('golden cases', () => {
  test.each(CASES)('%s', (name) => {
    for (const [file, result] of Object.entries(results(name))) {
      const path = join(FOLDER, name, file)
      if (UPDATE) writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`)
      expect(result, path).toEqual(read(path))
    }
  })

  const covered = new Set(
    CASES.map((name) => {
      const event = read(join(FOLDER, name, 'event.json')) as { readonly hook?: string } | null
      return `${event?.hook} ${verdictOf(name).decision}`
    }),
  )

  test('every hook has a case', () => {
    const hooks = new Set([...covered].map((one) => one.split(' ')[0]))
    expect(EVENT_NAMES.filter((name) => !hooks.has(name))).toEqual([])
  })

  test('every decision that the host can carry out at a hook has a case', () => {
    const wanted = EVENT_NAMES.flatMap((hook) => {
      const power = eventRow(hook)?.power
      return [
        'allow',
        ...(power?.deny === true ? ['deny'] : []),
        ...(power?.modify === 'none' ? [] : ['modify']),
        ...(power?.ask === true ? ['ask'] : []),
      ].map((decision) => `${hook} ${decision}`)
    })
    expect(wanted.filter((one) => !covered.has(one))).toEqual([])
  })
})
