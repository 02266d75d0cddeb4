/** A call that a person is asked about, and nobody answers: the model is told what still helps. Two minutes by the clock. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { entryPaths } from './entry-paths.ts'
import { openStage } from './stage.ts'

const stage = await openStage()
beforeAll(() => stage.guardWith({}))

test('nobody answers: the model learns the id under which a person can still agree', async () => {
  const file = join(stage.gateway.workspace, stage.freshWord())
  await writeFile(file, 'x')
  const calls = [{ tool: 'exec', input: { command: `cksum ${file}` } }]
  const turn = await stage.talk({ ...entryPaths.webchat }).turn('Sum it up.', { calls }, { say: 'It has to wait.' })
  const told = JSON.stringify(turn.requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool'))
  expect(told).toMatch(/Approval [a-z0-9-]+/i)
  expect(told).toContain('tell this number to the person who runs this assistant')
  expect(told).toContain('Nobody answered in time')
}, 240_000)
