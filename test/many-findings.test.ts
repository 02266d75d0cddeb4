import { expect, test } from 'vitest'
import { composeGuard } from '../src/assembly/guard/compose-guard.ts'
import { givenSurface, givenWorld } from '../src/assembly/guard/given-guard.ts'
import { loadConfig } from '../src/config/load.ts'
import { openSettings } from '../src/config/settings.ts'
import { createClaudeCodeHost } from '../src/hosts/claude-code/host.ts'
import { createMemoryStore } from '../src/record/stores/memory.ts'
import { createRecorder } from '../src/record/trace/recorder.ts'
import { fake } from './support/fake.ts'

const MANY = 2_000

test('a text of thousands of secrets is masked whole, and its verdict, event and answer stay small', async () => {
  const locations = { managed: '/nonexistent/managed', user: '/nonexistent/user' }
  const settings = openSettings({ locations, home: '/home/dev', data: '/nonexistent' }, () => {})
  const { guard, mask } = composeGuard({
    config: loadConfig([]),
    policiesFor: (project) => settings.current().policiesFor(project),
    world: givenWorld({ home: '/home/dev' }),
    surface: givenSurface('/home/dev'),
    clock: { now: () => 0, after: () => () => undefined },
  })
  const secrets = Array.from({ length: MANY }, (_, seed) => fake('ghp_', 36, 'alnum', seed))
  const decoded = createClaudeCodeHost().decode(
    {
      session_id: 's',
      cwd: '/home/dev/app',
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'cat keys' },
      tool_use_id: 't',
      tool_response: { stdout: secrets.join('\n'), stderr: '', interrupted: false, isImage: false },
    },
    { at: 1, makeId: () => 'id' },
  )
  if (decoded.outcome === 'rejected') throw new Error(decoded.reason)
  const outcome = guard.decideNow(decoded.step, decoded.power)
  const { verdict, merged } = outcome

  const listed = verdict.findings.filter(({ category }) => category === 'secret')
  expect([verdict.decision, listed.length, verdict.unlisted]).toEqual(['modify', 100, { secret: MANY - 100 }])
  expect(JSON.stringify(merged.payload)).not.toContain('ghp_')
  expect(JSON.stringify(decoded.encode(outcome))).not.toContain('ghp_')

  const store = createMemoryStore()
  const { body } = await createRecorder({ store, mask, version: '1' }).recordDecision(outcome)
  const { step: _step, ...rest } = body
  expect(JSON.stringify(body)).not.toContain('ghp_')
  expect(JSON.stringify(rest).length).toBeLessThan(150_000)
})
