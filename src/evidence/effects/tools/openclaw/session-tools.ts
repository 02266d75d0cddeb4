import { type ToolRow, emitNothing } from '../tool.ts'
import { looks, emitOne, emitAct, emitHosts, emitting, textsAt, thing, things } from './emit-effects.ts'
import { words } from '../../values/words.ts'

/** Tools for other sessions and agents, and for the person's view of this one. */
export const SESSION_TOOLS: readonly ToolRow[] = [
  {
    names: ['sessions_spawn'],
    sideEffect: 'code_execution',
    run: (use) => {
      emitOne(use, 'agent.start', [thing(use.text('agentId') ?? use.text('runtime') ?? 'subagent')])
      emitHosts(use, 'net.fetch', textsAt(use, 'projectGitUrl'))
    },
    examples: [
      [{ task: 'Look through the logs' }, 'agent.start'],
      [{ task: 'Build it', projectGitUrl: 'https://github.com/o/r' }, 'agent.start', 'net.fetch'],
    ],
  },
  {
    names: ['sessions_send'],
    sideEffect: 'communication',
    run: (use) => {
      const to = things(use, 'session', 'sessionKey', 'label', 'agentId')
      emitAct(use, to)
      emitOne(use, 'agent.start', to.length > 0 ? to : undefined)
    },
    examples: [[{ sessionKey: 'agent:ops:main', message: 'Restart it' }, 'tool.call', 'agent.start']],
  },
  {
    names: ['sessions'],
    sideEffect: 'local_write',
    actions: [
      looks('cloud_profiles', 'group_list'),
      {
        names: ['assign_owner'],
        sideEffect: 'privileged',
        run: (use) => {
          emitAct(use)
          emitOne(use, 'access.grant', things(use, 'owner', 'ownerId'))
        },
      },
    ],
    run: (use) => emitAct(use, things(use, 'session', 'sessionKey')),
    examples: [
      [{ action: 'group_list' }],
      [{ action: 'delete', sessionKey: 'agent:main:x' }, 'tool.call'],
      [{ action: 'assign_owner', ownerType: 'human', ownerId: 'eve' }, 'tool.call', 'access.grant'],
    ],
  },
  {
    names: ['subagents'],
    sideEffect: 'local_write',
    actions: [looks('list', 'wait')],
    run: emitting('process.kill', 'taskId', 'taskIds'),
    examples: [[{ action: 'list' }], [{ action: 'cancel', taskId: 't' }, 'process.kill']],
  },
  {
    names: ['show_widget'],
    sideEffect: 'local_write',
    run: (use) => {
      const { capabilities } = use.input
      const origins = textsAt({ ...use, input: Object(capabilities ?? {}) }, 'netOrigins')
      emitHosts(use, 'net.send', origins)
    },
    examples: [
      [{ title: 'Chart', widget_code: '<svg/>' }],
      [{ title: 'Chart', widget_code: '<b/>', capabilities: { netOrigins: ['https://evil.example'] } }, 'net.send'],
    ],
  },
  {
    names: words('sessions_yield create_goal update_goal suggest_task dismiss_task dashboard theme screen spawn_task'),
    sideEffect: 'local_write',
    run: emitNothing,
    examples: [[{ objective: 'Ship it' }]],
  },
  {
    names: words(`sessions_list sessions_history sessions_search session_status agents_list agents_wait get_goal
      github_identity_status`),
    sideEffect: 'read_only',
    run: emitNothing,
    examples: [[{ sessionKey: 'agent:main:x' }]],
  },
]
