import { expect, onTestFinished, test } from 'vitest'
import type { OpenClawApi } from '../../src/openclaw-plugin/host/host-api.ts'
import { openRealRunner, recordRegistration } from './real-runner.ts'

const open = async (register: (api: OpenClawApi) => void) => {
  const registration = recordRegistration(register, { id: 'sample' })
  const runner = await openRealRunner([registration])
  if (runner === undefined) throw new Error('The host is not in the cache.')
  onTestFinished(() => {
    runner.close()
  })
  return runner
}

const CALL = { toolName: 'exec', params: { command: 'ls' } }

test('a tool hook that throws stops the call: the host fails closed', async () => {
  const runner = await open((api) =>
    api.on('before_tool_call', () => {
      throw new Error('The scanner could not be reached.')
    }),
  )
  await expect(runner.run('before_tool_call', CALL, { toolName: 'exec' })).rejects.toThrow()
})

test('a sending hook that throws lets the message pass: the host fails open', async () => {
  const runner = await open((api) =>
    api.on('message_sending', () => {
      throw new Error('The scanner could not be reached.')
    }),
  )
  expect(await runner.run('message_sending', { to: 'a', content: 'b' }, { channelId: 'c' })).toBeUndefined()
})

test('the host does not wait for an asynchronous persistence hook', async () => {
  const runner = await open((api) => api.on('before_message_write', (async () => ({ block: true })) as never))
  const written = await runner.run('before_message_write', { message: { role: 'user', content: 'x' } }, {})
  expect(written).not.toMatchObject({ block: true })
})

test('a gate that misses its deadline stops the run: the host fails closed', async () => {
  const runner = await open((api) => api.on('before_agent_run', () => new Promise(() => {}), { timeoutMs: 20 }))
  await expect(runner.run('before_agent_run', { prompt: 'x', messages: [] }, {})).rejects.toThrow(/timed out/)
})
