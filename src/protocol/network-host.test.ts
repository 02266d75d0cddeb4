import { expect, test } from 'vitest'
import { bareHost, isLoopback } from './network-host.ts'

test.each([
  ['Example.COM.', 'example.com'],
  ['example.com:443', 'example.com'],
  ['example.com.:443', 'example.com'],
  ['[2001:DB8::1]:8080', '2001:db8::1'],
  ['[::1]', '::1'],
  ['::1', '::1'],
])('%s is %s', (host, bare) => {
  expect(bareHost(host)).toBe(bare)
})

test.each([
  'localhost',
  'LOCALHOST.',
  'localhost:4775',
  'a.b.localhost',
  '127.0.0.1',
  '127.0.0.1:80',
  '127.1',
  '127.255.3.4',
  '0.0.0.0:80',
  '0',
  '::1',
  '[::1]',
  '[::1]:443',
  '[::]:443',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '[::ffff:7f00:1]:80',
])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true)
})

test.each([
  '',
  'localhost.evil.example',
  'notlocalhost',
  '127.0.0.1.evil.example',
  '127',
  '128.0.0.1',
  '10.0.0.1',
  '0.0.0.1',
  '::2',
  '::ffff:10.0.0.1',
  '[::ffff:7e00:1]',
  'host.docker.internal',
  '127.evil.example',
])('%s is another machine', (host) => {
  expect(isLoopback(host)).toBe(false)
})
