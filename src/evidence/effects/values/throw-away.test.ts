import { expect, test } from 'vitest'
import { namesProduction, namesThrowAway } from './throw-away.ts'

test.each([
  'app_test',
  'test',
  'shop-ci',
  'appTest',
  'pr-12-preview',
  'e2e',
  'db.dev',
  'app_testdata',
  'tmp2',
  'localhost',
])('%s can be made again', (name) => {
  expect(namesThrowAway(name)).toBe(true)
})

test.each([
  'app',
  'latest',
  'attestation',
  'contest',
  'device',
  'devops',
  'city',
  'template',
  'users',
  '',
  'example.com',
])('%s does not mean something recreatable', (name) => {
  expect(namesThrowAway(name)).toBe(false)
})

test.each(['prod', 'prod-test', 'test.prod.example', 'production_dev', 'live-ci', 'test-backups'])(
  '%s is what others rely on',
  (name) => {
    expect([namesProduction(name), namesThrowAway(name)]).toEqual([true, false])
  },
)

test.each(['product', 'reproduce', 'delivery', 'alive', 'backupper'])('%s is not production', (name) => {
  expect(namesProduction(name)).toBe(false)
})
