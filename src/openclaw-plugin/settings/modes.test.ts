import { expect, test } from 'vitest'
import { MODEL_TOOLS } from './plugin-contracts.ts'
import { modelToolsOf } from './modes.ts'
import { readSettings } from './settings.ts'

const toolsWith = (modes: Readonly<Record<string, string>>) =>
  modelToolsOf(readSettings({ fail_closed: false, ...modes }).modes)

test.each([
  ['all by itself', {}, ['sallyport_scan']],
  ['audit left to the model', { audit_mode: 'probabilistic' }, ['sallyport_scan', 'sallyport_scan_prompt']],
  [
    'context left to the model',
    { context_injection_mode: 'probabilistic' },
    ['sallyport_scan', 'sallyport_scan_prompt'],
  ],
  ['replies left to the model', { outbound_mode: 'probabilistic' }, ['sallyport_scan', 'sallyport_scan_response']],
  [
    'gating left to the model',
    { tool_gating_mode: 'probabilistic' },
    ['sallyport_scan', 'sallyport_check_tool_safety'],
  ],
  ['off is not left to the model', { audit_mode: 'off', outbound_mode: 'off' }, ['sallyport_scan']],
])('%s', (_name, modes, tools) => {
  expect(toolsWith(modes)).toEqual(tools)
})

test('the manifest declares every tool that can be registered', () => {
  const all = toolsWith({
    audit_mode: 'probabilistic',
    context_injection_mode: 'probabilistic',
    outbound_mode: 'probabilistic',
    tool_gating_mode: 'probabilistic',
  })
  expect(all.toSorted()).toEqual(MODEL_TOOLS.toSorted())
})
