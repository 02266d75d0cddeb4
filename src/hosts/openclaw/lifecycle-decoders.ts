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
 * before_install: a skill or a plugin that was fetched and is about to be put in, as a call of the tool by which an agent
 * would do it. `text` is what of it a model would read, where the plugin has looked.
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

/** subagent_spawned: what it is to do was decided on with the call that spawned it. */
export const subagentSpawned: Decoder = (event) => ({
  kind: 'subagentStart',
  payload: { type: event.optionalString('label') ?? event.optionalString('agentId') ?? 'subagent' },
})

/** subagent_ended: its result comes with the run that it sets off. */
export const subagentEnded: Decoder = (event) => ({
  kind: 'subagentStop',
  payload: { text: event.optionalString('outcome') ?? event.optionalString('reason') ?? '', continued: false },
})

/** cron_changed: a job that was made, changed or has begun. Its run is decided on like any other. */
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
