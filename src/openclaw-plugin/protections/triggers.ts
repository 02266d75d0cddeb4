import type { EventName } from '../../hosts/openclaw/events.ts'
import type { HookApi } from '../host/host-api.ts'
import type { SubagentContext } from '../host/host-hooks.ts'
import { callOf } from '../state/protection-context.ts'
import type { Scene } from '../state/protection-context.ts'
import type { Protect } from './protection.ts'
import { FIRST } from './protection.ts'

/** What of a job is worth keeping; that it has ended, or when it is due next, is not. */
const KEPT: readonly string[] = ['added', 'updated', 'started']

const subagents = (api: HookApi, scene: Scene, hook: EventName & ('subagent_spawned' | 'subagent_ended')): void => {
  api.on(
    hook,
    (event, { requesterSessionKey }: SubagentContext) => {
      const context = requesterSessionKey === undefined ? {} : { sessionKey: requesterSessionKey }
      void scene.asker.ask(callOf(scene, hook, event, context, true))
    },
    { priority: FIRST },
  )
}

/**
 * What sets runs off without a person: jobs, and subagents. The host lets nobody stop them there, so that they are only
 * kept; the runs themselves, and the calls that make a job or spawn a subagent, are decided on like any other.
 */
export const setOff: Protect = (api, scene) => {
  api.on(
    'cron_changed',
    (event) => {
      if (!KEPT.includes(event.action)) return
      void scene.asker.ask(callOf(scene, 'cron_changed', event, { sessionKey: `openclaw:cron:${event.jobId}` }, true))
    },
    { priority: FIRST },
  )
  subagents(api, scene, 'subagent_spawned')
  subagents(api, scene, 'subagent_ended')
}
