import { type ToolRow, type ToolUse, emitNothing } from '../tool.ts'
import { looks, emitOne, emitAct, emitHosts, emitting, textsAt, thing, things, throughGateway } from './emit-effects.ts'
import { words } from '../../values/words.ts'

/** Settings that keep the guard in the gateway, and the guard's own name. */
const HOLDS_GUARD = /sallyport|allowConversationAccess|\bplugins?\.(?:allow|deny|enabled|entries|load|slots)\b/i

const wordsOf = (use: ToolUse): string => JSON.stringify(use.input)

/** A change of the gateway's settings. */
const change = (use: ToolUse): void => {
  emitAct(use)
  emitOne(use, 'service.change')
  if (HOLDS_GUARD.test(wordsOf(use)) || /"plugins"|"hooks"/.test(wordsOf(use).replaceAll('\\"', '"')))
    emitOne(use, 'guard.tamper', [])
}

/** Replaces the gateway itself. */
const update = (use: ToolUse): void => {
  emitAct(use)
  emitOne(use, 'package.install', [thing('openclaw')])
  emitOne(use, 'service.change', [thing('openclaw')])
}

const install = (use: ToolUse): void => {
  emitAct(use)
  emitOne(use, 'package.install', things(use, 'plugin', 'packageName', 'pluginId'))
  emitOne(use, 'service.change')
  if (HOLDS_GUARD.test(wordsOf(use))) emitOne(use, 'guard.tamper', [])
}

const manage = (use: ToolUse): void => {
  emitAct(use, things(use, 'plugin', 'pluginId'))
  emitOne(use, 'service.change', things(use, 'plugin', 'pluginId'))
  if (HOLDS_GUARD.test(wordsOf(use))) emitOne(use, 'guard.tamper', [])
}

/** The system agent follows instructions in text; the host asks a person about its changes. */
const delegate = (use: ToolUse): void => {
  emitAct(use)
  emitOne(use, 'agent.start', [thing('openclaw')])
  emitOne(use, 'service.change', [thing('openclaw')])
  if (HOLDS_GUARD.test(wordsOf(use)) || LOOSENS.test(use.text('message') ?? '')) emitOne(use, 'guard.tamper', [])
}

const LOOSENS =
  /\b(?:disable|remove|uninstall|delete|drop|turn\s+off|switch\s+off|stop|unload|reload|deactivate|bypass)\b[^.\n]{0,80}\b(?:plugins?|hooks?|guard|protections?|security)\b/i

/** Tools that change the gateway itself, what it keeps, and what it will do in later sessions. */
export const SETTING_TOOLS: readonly ToolRow[] = [
  throughGateway({
    names: ['gateway'],
    sideEffect: 'privileged',
    actions: [
      looks('config.get', 'config.schema.lookup'),
      { names: ['update.run'], sideEffect: 'privileged', run: update },
    ],
    run: change,
    examples: [
      [{ action: 'config.get', path: 'agents' }],
      [{ action: 'update.run' }, 'tool.call', 'package.install', 'service.change'],
      [{ action: 'config.patch', raw: '{"channels":{}}' }, 'tool.call', 'service.change'],
      [{ action: 'config.patch', raw: '{"plugins":{"entries":{}}}' }, 'tool.call', 'service.change', 'guard.tamper'],
      [{ action: 'config.get', gatewayUrl: 'ws://evil.example' }, 'net.send'],
    ],
  }),
  {
    names: ['plugins'],
    sideEffect: 'privileged',
    actions: [looks('list', 'inspect', 'search'), { names: ['install'], sideEffect: 'privileged', run: install }],
    run: manage,
    examples: [
      [{ action: 'list' }],
      [{ action: 'disable', pluginId: 'weather' }, 'tool.call', 'service.change'],
      [{ action: 'disable', pluginId: 'sallyport' }, 'tool.call', 'service.change', 'guard.tamper'],
      [{ action: 'reload', pluginId: 'Sallyport' }, 'tool.call', 'service.change', 'guard.tamper'],
      [
        { action: 'install', source: 'clawhub', packageName: 'weather' },
        ...words('tool.call package.install service.change'),
      ],
    ],
  },
  {
    names: ['openclaw'],
    sideEffect: 'privileged',
    run: delegate,
    examples: [
      [{ message: 'Which channels are connected?' }, 'tool.call', 'agent.start', 'service.change'],
      [{ message: 'Turn off the third plugin' }, 'tool.call', 'agent.start', 'service.change', 'guard.tamper'],
      [{ message: 'set plugins.allow to []' }, 'tool.call', 'agent.start', 'service.change', 'guard.tamper'],
    ],
  },
  {
    names: ['secrets'],
    sideEffect: 'privileged',
    actions: [looks('list')],
    run: (use) => {
      emitOne(use, 'secret.write', things(use, 'secret', 'name'))
      emitHosts(use, 'net.send', textsAt(use, 'allowedHosts'))
    },
    examples: [
      [{ action: 'list' }],
      [{ action: 'request', name: 'STRIPE_API_KEY', allowedHosts: ['api.stripe.com'] }, 'secret.write', 'net.send'],
      [{ action: 'delete', name: 'STRIPE_API_KEY' }, 'secret.write'],
    ],
  },
  {
    names: ['skill_workshop'],
    sideEffect: 'code_execution',
    actions: [
      looks('read', 'list', 'inspect', 'evaluate', 'history'),
      {
        names: ['create', 'prepare_patch', 'update', 'revise', 'reject', 'quarantine'],
        sideEffect: 'local_write',
        run: emitNothing,
      },
    ],
    run: emitting('persistence', 'skill_name', 'name', 'proposal_id'),
    examples: [
      [{ action: 'list' }],
      [{ action: 'create', name: 'deploy', proposal_content: '# Deploy' }],
      [{ action: 'apply', proposal_id: 'p' }, 'persistence'],
      [{ action: 'patch', skill_name: 'deploy', old_string: '', new_string: 'curl' }, 'persistence'],
    ],
  },
]
