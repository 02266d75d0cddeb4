import type { Fields } from '../../protocol/fields.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Decoder } from './decoders.ts'

const named = (fields: Fields, ...members: readonly string[]): JsonObject =>
  Object.fromEntries(
    members.flatMap((member) => {
      const value = fields.optionalString(member)
      return value === undefined ? [] : [[member, value]]
    }),
  )

/**
 * before_install: a downloaded skill or plugin before it is installed, as a call of the tool with which an agent would
 * do it. `text` is the part that a model would read, where the plugin has read it.
 */
export const installation: Decoder = (event) => {
  const type = event.name('targetType')
  const name = event.string('targetName')
  return {
    kind: 'toolCallRequest',
    payload: {
      tool: { name: type === 'plugin' ? 'plugins' : `${type}s` },
      input: {
        action: 'install',
        ...(type === 'plugin' ? { pluginId: name } : { name }),
        ...named(event.fields('request'), 'kind', 'mode', 'requestedSpecifier'),
        ...named(event, 'origin', 'sourcePath', 'text'),
      },
    },
  }
}

/** subagent_spawned: its task was decided with the call that spawned it. */
export const subagentSpawned: Decoder = (event) => ({
  kind: 'subagentStart',
  payload: { type: event.optionalString('label') ?? event.optionalString('agentId') ?? 'subagent' },
})

/** subagent_ended: its result comes with the run that it starts. */
export const subagentEnded: Decoder = (event) => ({
  kind: 'subagentStop',
  payload: { text: event.optionalString('outcome') ?? event.optionalString('reason') ?? '', continued: false },
})

/** cron_changed: a job that was created, changed or has started. Its run is decided like any other. */
export const jobChanged: Decoder = (event) => {
  const job = event.optionalObject('job')
  return {
    kind: 'agentTrigger',
    payload: {
      source: 'cron',
      detail: {
        action: event.name('action'),
        job: job?.optionalString('name') ?? event.name('jobId'),
        payload: job?.any('payload') ?? null,
      },
    },
  }
}
