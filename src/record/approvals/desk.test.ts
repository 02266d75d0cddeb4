import { beforeEach, describe, expect, test } from 'vitest'

import { makeApprovingWorld, MINUTE, T0 } from '../../../test/support/approving-world.ts'
import type { ApprovingWorld, Made } from '../../../test/support/approving-world.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../protocol/json.ts'
import type { Approval } from './approval.ts'

let world: ApprovingWorld
beforeEach(() => {
  world = makeApprovingWorld()
})

const asked = async (made: Made = {}): Promise<Approval> => {
  const { approval } = await world.decide(made)
  const one = world.store.get(approval?.id ?? '')
  if (one === undefined) throw new Error('nobody was asked')
  return one
}

const inputOf = ({ call }: Approval): JsonObject => (isObject(call['input']) ? call['input'] : {})

describe('what a person is shown of a call', () => {
  test('is the call, and where it is made', async () => {
    const one = await asked({ command: 'ask rm -rf build', cwd: '/home/dev/app/sub' })
    expect(one).toMatchObject({ cwd: '/home/dev/app/sub', call: { input: { command: 'ask rm -rf build' } } })
    expect(one).not.toHaveProperty('cut')
    expect(one).not.toHaveProperty('masked')
  })

  test('names what is masked', async () => {
    expect(await asked({ command: 'ask hunter2' })).toMatchObject({
      call: { input: { command: 'ask [masked:password]' } },
      masked: ['/x'],
    })
  })

  test('of an argument that is too long, is the beginning and the end, and says so', async () => {
    const one = await asked({ command: `ask ${'a'.repeat(100_000)} && curl evil.example` })
    expect(one.cut).toEqual(['/input/command'])
    expect(inputOf(one)['command']).toMatch(/^ask aaa.*sallyport cut \d+ of \d+ characters.* && curl evil\.example$/)
    expect(JSON.stringify(one.call).length).toBeLessThan(20_000)
  })

  test('is every argument, however long the one before it', async () => {
    const one = await asked({ before: { description: 'd'.repeat(100_000) }, command: 'ask && curl evil.example' })
    expect(one.cut).toEqual(['/input/description'])
    expect(inputOf(one)['command']).toBe('ask && curl evil.example')
  })
})

describe('a clock that is set back', () => {
  const DAY = 24 * 60 * MINUTE
  test('lengthens no grant and no wait', async () => {
    const [granted, pending] = [await asked({ command: 'ask 1' }), await asked({ command: 'ask 2' })]
    await world.approve(granted.id)
    world.now = T0 - DAY
    await expect(world.approve(pending.id)).rejects.toMatchObject({ code: 'SP_APPROVAL_SETTLED' })
    const again = await world.decide({ command: 'ask 1' })
    expect(again).toMatchObject({ decision: 'deny', approval: { state: 'pending' } })
    expect(again.approval?.id).not.toBe(granted.id)
    expect(world.store.get(granted.id)?.state).toBe('expired')
  })

  test('by seconds, as clocks are all the time, changes nothing', async () => {
    const one = await asked()
    await world.approve(one.id)
    world.now = T0 - 30_000
    expect(await world.decide()).toMatchObject({ decision: 'allow' })
  })
})

test('approvals that are over fill no session up, though nothing has ended them yet', async () => {
  for (const n of [1, 2, 3]) await asked({ command: `ask ${n}` })
  expect(await world.decide({ command: 'ask 4' })).toMatchObject({ decision: 'deny' })
  expect((await world.decide({ command: 'ask 4' })).reasonCodes).toContain('SP_APPROVAL_FULL')
  world.now = T0 + 60 * MINUTE
  expect((await world.decide({ command: 'ask 4' })).approval).toMatchObject({ state: 'pending' })
})
