import { describe, expect, test } from 'vitest'
import type { Step } from '../../protocol/step.ts'
import type { World } from '../../protocol/world.ts'
import { analyseEffects } from './analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from './engine/analysis.ts'
import { createGivenWorld } from './world/given-world.ts'
import { createRememberedAnalysis } from './remembered-analysis.ts'

const call = (command: string, cwd = '/home/dev/app', description = 'a call'): Step => ({
  id: 's',
  host: 'claude-code',
  event: 'PreToolUse',
  at: 0,
  session: { id: 'x', cwd, project: '/home/dev/app' },
  agent: { id: 'main', role: 'main' },
  kind: 'toolCallRequest',
  payload: { tool: { name: 'Bash' }, input: { command, description } },
})

const remembering = () => {
  let home = '/home/dev'
  let link: string | undefined
  let made = 0
  let script = '# one\n'.repeat(4_000)
  const given = createGivenWorld({ files: {}, env: {}, home })
  const world: World = {
    ...given,
    realPath: (path) => (link !== undefined && path === '/home/dev/app/link' ? link : path),
    read: (path) => (path === '/home/dev/app/long.sh' ? script : null),
    get home() {
      return home
    },
  }
  const analysis = createRememberedAnalysis((step) => {
    made++
    return analyseEffects(step, {
      world,
      guard: { paths: ['/home/dev/.guard'], pids: [], addresses: [] },
      budget: DEFAULT_EFFECT_BUDGET,
    })
  }, world)
  return {
    zones: (step: Step) =>
      analysis(step).effects.flatMap(({ targets }) =>
        targets.flatMap((one) => (one.type === 'path' ? [one.zone] : [])),
      ),
    made: () => made,
    rewrite: (text: string) => (script = text),
    linkTo: (path: string) => (link = path),
    moveHome: (path: string) => (home = path),
  }
}

describe('remembered analysis', () => {
  test('the same call in the same world is analysed once', () => {
    const one = remembering()
    expect(one.zones(call('cat link'))).toEqual(one.zones(call('cat link')))
    expect(one.made()).toBe(1)
  })

  test('the agent’s description of a call does not make it another', () => {
    const one = remembering()
    one.zones(call('cat link'))
    one.zones(call('cat link', '/home/dev/app', 'the same in other words'))
    expect(one.made()).toBe(1)
  })

  test('nor does a description, for an unknown tool', () => {
    const one = remembering()
    for (const description of ['Looks', 'Looks again'])
      one.zones({ ...call('cat link', undefined, description), host: 'aos' })
    expect(one.made()).toBe(1)
  })

  test.each([
    { name: 'another command', other: call('cat links') },
    { name: 'another folder', other: call('cat link', '/srv') },
  ])('$name is analysed separately', ({ other }) => {
    const one = remembering()
    one.zones(call('cat link'))
    one.zones(other)
    expect(one.made()).toBe(2)
  })

  test('a link that appears between two calls is noticed', () => {
    const one = remembering()
    expect(one.zones(call('echo x > link'))).not.toContain('guard')
    one.linkTo('/home/dev/.guard/trace.db')
    expect(one.zones(call('echo x > link'))).toContain('guard')
    expect(one.made()).toBe(2)
  })

  test('another home folder is noticed', () => {
    const one = remembering()
    one.zones(call('rm -rf ~'))
    one.moveHome('/elsewhere')
    one.zones(call('rm -rf ~'))
    expect(one.made()).toBe(2)
  })

  test('a long script is read again, not analysed again', () => {
    const one = remembering()
    for (let again = 0; again < 3; again++) one.zones(call('bash long.sh'))
    expect(one.made()).toBe(1)
    one.rewrite('rm -rf /')
    expect(one.zones(call('bash long.sh'))).toContain('root')
    expect(one.made()).toBe(2)
  })

  test('the least recent analysis is dropped when the answers take too much space', () => {
    const one = remembering()
    one.zones(call('bash long.sh'))
    for (let other = 0; other < 200; other++) one.zones(call(`bash long.sh ${other}`))
    one.zones(call('bash long.sh 199'))
    expect(one.made()).toBe(201)
    one.zones(call('bash long.sh'))
    expect(one.made()).toBe(202)
  })

  test('long calls are analysed each time', () => {
    const one = remembering()
    const long = call(`echo ${'x'.repeat(10_000)}`)
    one.zones(long)
    one.zones(long)
    expect(one.made()).toBe(2)
  })
})
