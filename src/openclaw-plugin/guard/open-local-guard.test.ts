import { expect, test } from 'vitest'
import { configLocations } from '../../config/locations.ts'
import { guardEnvironment, surfaceOf } from './open-local-guard.ts'

test('the guard protects the gateway’s settings and the files of its environment', () => {
  const env = { OPENCLAW_STATE_DIR: '/srv/oc' }
  expect(surfaceOf({ rootDir: '/opt/plugin', config: { gateway: { port: 1 } } }, env, '/home/ada')).toEqual({
    own: [
      '/srv/oc/openclaw.json',
      '/srv/oc/.env',
      '/home/ada/.openclaw/.env',
      '/home/ada/.config/openclaw/gateway.env',
      '/opt/plugin',
    ],
    port: 1,
  })
  expect(surfaceOf({ config: undefined }, {}, '/home/ada').port).toBe(18_789)
})

test('a file in the gateway’s working directory does not move the person’s configuration', () => {
  const env = guardEnvironment({ SALLYPORT_CONFIG_HOME: '/srv/evil', XDG_CONFIG_HOME: '/home/ada/.c', A: '1' })
  expect(configLocations(env, '/home/ada', 'linux').user).toBe('/home/ada/.c/sallyport')
  expect(env).toEqual({ XDG_CONFIG_HOME: '/home/ada/.c', A: '1' })
})
