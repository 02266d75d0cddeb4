import { describe, expect, test } from 'vitest'
import { checkCaller } from './caller-check.ts'
import type { AppRequest } from './request.ts'

const request = (more: Partial<AppRequest>): AppRequest => ({
  method: 'GET',
  url: '/healthz',
  trusted: false,
  body: undefined,
  ...more,
})

describe('the name to which a request was sent', () => {
  test.each([
    '127.0.0.1:4775',
    '127.0.0.1',
    'localhost:4775',
    'LOCALHOST:4775',
    'localhost.:4775',
    'guard.localhost:4775',
    '[::1]:4775',
    '192.168.1.7:4775',
    'guard.internal:4775',
  ])('%s belongs to this guard', (host) => {
    expect(checkCaller(request({ host }), ['guard.internal'])).toBeUndefined()
  })

  test.each([
    undefined,
    '',
    'evil.example',
    'evil.example:4775',
    'localhost.evil.example',
    'notlocalhost:4775',
    '127.0.0.1.evil.example:4775',
    'guard.internal.evil.example',
    'evil.example@127.0.0.1:4775',
    '127.0.0.1:4775/x',
    '127.0.0.1:4775:4775',
    '127.0.0.1 evil.example',
  ])('%s does not', (host) => {
    expect(checkCaller(request(host === undefined ? {} : { host }), ['guard.internal'])).toMatchObject({
      code: 'SP_HOST',
    })
  })
})

describe('the page that sent a request', () => {
  const host = '127.0.0.1:4775'
  test.each([
    { name: 'none', headers: {} },
    { name: 'its own', headers: { origin: `http://${host}`, fetchSite: 'same-origin' } },
    { name: 'its own, by TLS', headers: { origin: `https://${host}` } },
    { name: 'an address typed by a person', headers: { fetchSite: 'none' } },
  ])('$name is accepted', ({ headers }) => {
    expect(checkCaller(request({ host, ...headers }), [])).toBeUndefined()
  })

  test.each([
    { name: 'another site', headers: { origin: 'https://evil.example' } },
    { name: 'another port of this machine', headers: { origin: 'http://127.0.0.1:3000' } },
    { name: 'a page without an origin', headers: { origin: 'null' } },
    { name: 'an image of another site', headers: { fetchSite: 'cross-site' } },
    { name: 'an image of another port', headers: { fetchSite: 'same-site' } },
  ])('$name is refused', ({ headers }) => {
    expect(checkCaller(request({ host, ...headers }), [])).toMatchObject({ code: 'SP_ORIGIN' })
  })
})

test('callers of the unix socket have neither', () => {
  expect(checkCaller(request({ trusted: true }), [])).toBeUndefined()
})
