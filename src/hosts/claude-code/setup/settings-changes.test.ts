import { describe, expect, test } from 'vitest'
import { settingsChanges } from './settings-changes.ts'
import { settingsText } from './settings-text.ts'
import { hookGroups } from './wiring.ts'

const GUARDED = settingsText('f', '{"permissions":{"allow":["Read"],"deny":["Write"]}}').with(
  hookGroups({
    form: 'http',
    port: 4775,
    token: 't',
    data: '/d',
    node: '/n',
    entry: '/e/hook-entry.js',
    start: { serve: '/s', home: '/h', configHome: '/c' },
  }),
)

type Handler = Record<string, unknown>
type Settings = { hooks: Record<string, { matcher?: string; hooks: Handler[] }[]> } & Record<string, unknown>

const edited = (edit: (settings: Settings) => void): string => {
  const settings = JSON.parse(GUARDED) as Settings
  edit(settings)
  return JSON.stringify(settings)
}

const first = ({ hooks }: Settings, event: string): Handler => hooks[event]?.[0]?.hooks[0] ?? {}

describe('changes that concern the guard', () => {
  test.each<{ name: string; now: string | undefined; finding: RegExp }>([
    { name: 'no file', now: undefined, finding: /PreToolUse hook was changed or removed/ },
    { name: 'not JSON', now: '{', finding: /no longer a JSON object/ },
    { name: 'a list', now: '[]', finding: /no longer a JSON object/ },
    {
      name: 'hooks that are a list',
      now: edited((s) => Object.assign(s, { hooks: [] })),
      finding: /hooks is not an object/,
    },
    {
      name: 'hooks disabled',
      now: edited((s) => (s['disableAllHooks'] = true)),
      finding: /were disabled|was removed/,
    },
    { name: 'the switch removed', now: edited((s) => delete s['disableAllHooks']), finding: /was removed/ },
    {
      name: 'an event without our hook',
      now: edited((s) => delete s.hooks['PostToolUse']),
      finding: /PostToolUse hook was changed/,
    },
    { name: 'another port', now: GUARDED.replaceAll('4775', '4776'), finding: /hook was changed/ },
    { name: 'another token', now: GUARDED.replaceAll('Bearer t', 'Bearer u'), finding: /hook was changed/ },
    {
      name: 'a hook that lets steps pass when it fails',
      now: edited((s) => delete first(s, 'PreToolUse')['onFailure']),
      finding: /PreToolUse hook was changed/,
    },
    {
      name: 'a matcher that leaves tools out',
      now: edited(({ hooks }) => Object.assign(hooks['PreToolUse']?.[0] ?? {}, { matcher: 'Read' })),
      finding: /PreToolUse hook was changed/,
    },
    {
      name: 'a broken entry beside ours',
      now: edited(({ hooks }) => hooks['PreToolUse']?.push({ hooks: [{ type: 'http', url: 'nowhere' }] })),
      finding: /drops every PreToolUse hook/,
    },
    {
      name: 'a hook of another program',
      now: edited(({ hooks }) =>
        hooks['PreToolUse']?.push({ hooks: [{ type: 'command', command: 'node rewrite.js' }] }),
      ),
      finding: /PreToolUse hook was added: command node rewrite\.js/,
    },
    {
      name: 'a proxy for hooks',
      now: edited((s) => (s['env'] = { https_proxy: 'http://127.0.0.1:9' })),
      finding: /env\.https_proxy was added/,
    },
    {
      name: 'code for every Node program',
      now: edited((s) => (s['env'] = { NODE_OPTIONS: '-r x' })),
      finding: /env\.NODE_OPTIONS/,
    },
    {
      name: 'another CA',
      now: edited((s) => (s['env'] = { NODE_EXTRA_CA_CERTS: '/x' })),
      finding: /env\.NODE_EXTRA_CA_CERTS/,
    },
    {
      name: 'another configuration folder',
      now: edited((s) => (s['env'] = { CLAUDE_CONFIG_DIR: '/x' })),
      finding: /env\.CLAUDE_CONFIG_DIR/,
    },
    {
      name: 'a list of hook addresses',
      now: edited((s) => (s['allowedHttpHookUrls'] = [])),
      finding: /allowedHttpHookUrls was added/,
    },
    {
      name: 'managed hooks only',
      now: edited((s) => (s['allowManagedHooksOnly'] = true)),
      finding: /allowManagedHooksOnly was added/,
    },
    {
      name: 'a command in the status line',
      now: edited((s) => (s['statusLine'] = { type: 'command', command: 'x' })),
      finding: /statusLine was added/,
    },
    {
      name: 'a permission',
      now: edited((s) => (s['permissions'] = { allow: ['Read', 'Bash'], deny: ['Write'] })),
      finding: /allow now contains Bash/,
    },
    {
      name: 'a refusal removed',
      now: edited((s) => (s['permissions'] = { allow: ['Read'] })),
      finding: /deny no longer contains Write/,
    },
    {
      name: 'no questions',
      now: edited((s) => Object.assign(s['permissions'] as object, { defaultMode: 'bypassPermissions' })),
      finding: /defaultMode is now bypassPermissions/,
    },
    {
      name: 'an unknown member',
      now: edited((s) => (s['runAtStart'] = 'x')),
      finding: /runAtStart was added/,
    },
  ])('$name', ({ now, finding }) => {
    expect(settingsChanges(GUARDED, now).join('\n')).toMatch(finding)
  })

  test.each<{ name: string; accepted?: string; now: string | undefined }>([
    { name: 'nothing', now: GUARDED },
    { name: 'the form of the text', now: JSON.stringify(JSON.parse(GUARDED)) },
    { name: 'the theme and the model', now: edited((s) => Object.assign(s, { theme: 'light', model: 'opus' })) },
    { name: 'a variable of a program', now: edited((s) => (s['env'] = { PGDATABASE: 'test' })) },
    { name: 'a permission removed', now: edited((s) => (s['permissions'] = { deny: ['Write'] })) },
    { name: 'one more refusal', now: edited((s) => (s['permissions'] = { allow: ['Read'], deny: ['Write', 'Bash'] })) },
    { name: 'an empty file of the project', accepted: '', now: '{}' },
    { name: 'a deleted file of the project', accepted: '{"theme":"dark"}', now: undefined },
    {
      name: 'a deleted hook of another program',
      accepted: '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}',
      now: '{}',
    },
  ])('no concern: $name', ({ accepted = GUARDED, now }) => {
    expect(settingsChanges(accepted, now)).toEqual([])
  })

  test('a permission that the client has proposed may be added', () => {
    const now = '{"permissions":{"allow":["Bash(npm test:*)","Bash(rm:*)"]}}'
    expect(settingsChanges('{}', now, (rule) => rule === 'Bash(npm test:*)')).toEqual([
      'permissions.allow now contains Bash(rm:*)',
    ])
  })
})
