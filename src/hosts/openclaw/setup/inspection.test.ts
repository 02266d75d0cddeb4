import { describe, expect, test } from 'vitest'
import type { HostAnswer } from './host-program.ts'
import { inspectionChecks } from './inspection.ts'

const EXPECTED = { id: 'sallyport', folder: '/opt/plugin', hooks: ['before_agent_run', 'before_tool_call'] }

/** As OpenClaw 2026.9.6 answers, cut to what is read. */
const report = (over: object = {}, plugin: object = {}): HostAnswer => ({
  json: {
    plugin: { id: 'sallyport', version: '0.1.0', rootDir: '/opt/plugin', status: 'loaded', ...plugin },
    typedHooks: [
      { name: 'before_agent_run', priority: 1000 },
      { name: 'before_tool_call', priority: 900 },
      { name: 'before_tool_call', priority: 1000 },
    ],
    diagnostics: [],
    policy: { allowConversationAccess: true, allowedModels: [] },
    ...over,
  },
  output: '',
})

const notFound = (said: string): HostAnswer => ({
  json: {
    ok: false,
    error: { type: 'cli_error', message: 'Plugin not found: sallyport. Run `openclaw plugins list`.' },
  },
  output: said,
})

describe('the host’s report on the plugin', () => {
  test.each<{ name: string; answer: HostAnswer; statuses: string[]; found: RegExp }>([
    { name: 'all is well', answer: report(), statuses: ['ok'], found: /loads Sallyport 0.1.0 with 2 hooks/ },
    {
      name: 'the file of the plugin is missing',
      answer: notFound(
        '[config] warnings: plugins.entries.sallyport: plugin sallyport: extension entry not found: dist/index.js; plugins.entries.sallyport: Plugin "sallyport" settings cannot be checked',
      ),
      statuses: ['fail'],
      found: /extension entry not found: dist\/index.js\. The gateway keeps running WITHOUT the guard/,
    },
    { name: 'not known', answer: notFound(''), statuses: ['fail'], found: /Plugin not found: sallyport\. The gateway/ },
    {
      name: 'a configuration that is refused',
      answer: {
        json: {
          ok: false,
          error: { message: 'OpenClaw config is invalid: /c.json' },
          issues: [
            { path: 'plugins.entries.sallyport.config', message: 'must not have additional properties: "nope"' },
          ],
        },
        output: '',
      },
      statuses: ['fail'],
      found: /must not have additional properties: "nope"/,
    },
    {
      name: 'no answer',
      answer: { json: undefined, output: 'spawn EACCES' },
      statuses: ['fail'],
      found: /does not load the plugin: spawn EACCES/,
    },
    {
      name: 'its code throws',
      answer: report(
        { typedHooks: [], diagnostics: [{ level: 'error', message: 'plugin failed during load: Error: x' }] },
        { status: 'error', error: 'Error: x' },
      ),
      statuses: ['fail', 'fail'],
      found: /could not load the plugin: Error: x\. The gateway keeps running WITHOUT/,
    },
    {
      name: 'switched off',
      answer: report({ typedHooks: [] }, { status: 'disabled', error: 'disabled in config' }),
      statuses: ['fail'],
      found: /has disabled the plugin: disabled in config/,
    },
    {
      name: 'another plugin in its place',
      answer: report({}, { rootDir: '/home/ada/extensions/sallyport' }),
      statuses: ['fail'],
      found: /loads \/home\/ada\/extensions\/sallyport, not/,
    },
    {
      name: 'a hook is not fired',
      answer: report({ typedHooks: [{ name: 'before_tool_call' }] }),
      statuses: ['fail'],
      found: /does not fire before_agent_run/,
    },
    {
      name: 'conversations are withheld from it',
      answer: report({ policy: {} }),
      statuses: ['fail'],
      found: /does not let the plugin read conversations/,
    },
    {
      name: 'a warning',
      answer: report({ diagnostics: [{ level: 'warn', message: 'Where it came from cannot be told.' }] }),
      statuses: ['ok', 'warn'],
      found: /Where it came from/,
    },
  ])('$name', ({ answer, statuses, found }) => {
    const checks = inspectionChecks(answer, EXPECTED)
    expect(checks.map(({ status }) => status)).toEqual(statuses)
    expect(checks.map((check) => check.found).join('\n')).toMatch(found)
  })

  test('without known hooks, none are required', () => {
    const checks = inspectionChecks(report(), { ...EXPECTED, hooks: undefined })
    expect(checks.map(({ status }) => status)).toEqual(['warn'])
  })
})
