import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ALLOWED } from '../../../test/support/allowed.ts'
import { decidedAs, read, readIf, verdictIn } from '../../../test/support/golden.ts'
import type { HostPower } from '../../core/host-power.ts'
import type { Judge } from '../../core/judge.ts'
import type { RpcAnswer, RpcHost } from '../../core/rpc-host.ts'
import { NO_EVIDENCE } from '../../protocol/evidence.ts'
import { readCall } from '../../protocol/json-rpc.ts'
import { AOS_METHODS } from '../../protocol/aos/methods.ts'
import type { Step } from '../../protocol/step.ts'
import type { Verdict } from '../../protocol/verdict.ts'
import { createAosHost } from './host.ts'

/**
 * test/golden/aos/CASE/: request.json is what a caller sends, address.json the query of its address, before.json the
 * calls that were allowed before, verdict.json the guard's verdict (allow when absent); step.json and reply.json are
 * the results. UPDATE_GOLDEN=1 rewrites these two.
 */
const FOLDER = join(import.meta.dirname, '../../../test/golden/aos')
const UPDATE = process.env['UPDATE_GOLDEN'] === '1'
const CASES = readdirSync(FOLDER).toSorted()

interface Asked {
  step?: Step
  power?: HostPower
}

const ask = async (
  host: RpcHost,
  request: unknown,
  query: Readonly<Record<string, string>>,
  verdict: Verdict,
): Promise<{ readonly asked: Asked; readonly answer: RpcAnswer | { readonly outcome: 'not spoken' } }> => {
  const asked: Asked = {}
  const judge: Judge = async (step, power) => {
    Object.assign(asked, { step, power })
    return { outcome: 'decided', decided: { ...decidedAs(step, verdict), evidence: NO_EVIDENCE, tookMs: 0 } }
  }
  const call = readCall(request)
  if (call.outcome === 'invalid') throw new Error(call.detail)
  if (!host.speaks(call.call)) return { asked, answer: { outcome: 'not spoken' } }
  const arrival = { at: 1_800_000_000_000, makeId: () => 'made-1', query: new Map(Object.entries(query)) }
  return { asked, answer: await host.answer(call.call, arrival, judge) }
}

const results = async (folder: string): Promise<Readonly<Record<string, unknown>>> => {
  const faults: unknown[] = []
  const host = createAosHost({ fault: (error) => faults.push(error) })
  const query = readIf<Readonly<Record<string, string>>>(join(folder, 'address.json'), {})
  for (const before of readIf<readonly unknown[]>(join(folder, 'before.json'), []))
    await ask(host, before, query, ALLOWED)
  const verdict = verdictIn(folder)
  const { asked, answer } = await ask(host, read(join(folder, 'request.json')), query, verdict)
  if (faults[0] !== undefined) throw faults[0]
  return { 'step.json': asked, 'reply.json': answer }
}

describe('golden cases', () => {
  test.each(CASES)('%s', async (name) => {
    const folder = join(FOLDER, name)
    for (const [file, result] of Object.entries(await results(folder))) {
      const path = join(folder, file)
      if (UPDATE) writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`)
      expect(JSON.parse(JSON.stringify(result)), path).toEqual(read(path))
    }
  })

  test('every method has a case', () => {
    const methods = new Set(
      CASES.map((name) => (read(join(FOLDER, name, 'request.json')) as { method: string }).method),
    )
    expect(AOS_METHODS.filter(({ name }) => !methods.has(name)).map(({ name }) => name)).toEqual([])
  })
})
