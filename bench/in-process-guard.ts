import { homedir } from 'node:os'
import { composeGuard } from '../src/config/compose-guard.ts'
import type { ComposedGuard } from '../src/config/compose-guard.ts'
import { loadConfig } from '../src/config/load.ts'
import { createMachineClock } from '../src/config/machine-clock.ts'
import { createMachineWorld } from '../src/config/machine-world.ts'
import { openSettings } from '../src/config/settings.ts'
import type { Outcome } from '../src/core/guard.ts'
import { createClaudeCodeHost } from '../src/hosts/claude-code/host.ts'

/** A guard as it ships, without a server: everything on, default settings, the machine as its world. */
export interface InProcessGuard {
  readonly mask: ComposedGuard['mask']
  /** One event from the host's form to the host's reply. */
  answer(event: unknown): Promise<Outcome>
}

/** Makes one. */
export const createInProcessGuard = (): InProcessGuard => {
  const home = homedir()
  const locations = { managed: '/nonexistent/managed', user: '/nonexistent/user' }
  const settings = openSettings({ locations, home, data: '/nonexistent' }, () => {})
  const { guard, mask } = composeGuard({
    config: loadConfig([]),
    policiesFor: (project) => settings.current().policiesFor(project),
    world: createMachineWorld(process.env, home),
    surface: { paths: ['/nonexistent/sallyport'], pids: [1], addresses: ['127.0.0.1:4775'] },
    clock: createMachineClock(),
  })
  const host = createClaudeCodeHost()
  return {
    mask,
    async answer(event) {
      const decoded = host.decode(event, { at: performance.now(), makeId: () => 'id', event: 'PreToolUse' })
      if (decoded.outcome !== 'step') throw new Error(`not a step: ${decoded.reason}`)
      const outcome = await guard.decide(decoded.step, decoded.power)
      decoded.encode(outcome)
      return outcome
    },
  }
}
