import { expect, test } from 'vitest'
import { isServerName, serverNameOf } from './server-name.ts'

test.each([
  { name: 'files', named: 'files' },
  { name: '@acme/server.files:2', named: '@acme/server.files:2' },
  { name: '???', named: 'mcp' },
  { name: 'My bank (test)', named: 'My-bank-test-' },
  { name: '--data', named: 'data' },
  { name: '', named: 'mcp' },
  { name: 'x'.repeat(300), named: 'x'.repeat(128) },
])('a client calls a server $name', ({ name, named }) => {
  expect(serverNameOf(name)).toBe(named)
  expect(isServerName(named)).toBe(true)
})

test.each(['', 'a b', 'x'.repeat(129), 'é'])('no name of a server: %j', (name) => {
  expect(isServerName(name)).toBe(false)
})
