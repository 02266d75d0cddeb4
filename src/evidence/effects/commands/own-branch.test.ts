import { expect, test } from 'vitest'
import { analyseEffects } from '../analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from '../engine/analysis.ts'
import { GUARD, callOf, filesWith } from '../fixture.ts'
import { createGivenWorld } from '../world/given-world.ts'

const kindsOf = (command: string, files: Readonly<Record<string, string>>): readonly string[] =>
  analyseEffects(callOf('Bash', { command }), {
    world: createGivenWorld({ home: '/home/user', files: filesWith(files) }),
    guard: GUARD,
    budget: DEFAULT_EFFECT_BUDGET,
  }).effects.map(({ kind }) => kind)

const on = (branch: string): Readonly<Record<string, string>> => ({ '.git/HEAD': `ref: refs/heads/${branch}\n` })

test('a push with a lease of the branch that is checked out rewrites that of others only where it is shared', () => {
  for (const push of ['git push --force-with-lease', 'git push --force-with-lease origin HEAD']) {
    expect(kindsOf(push, on('retry'))).not.toContain('vcs.rewrite')
    expect(kindsOf(push, on('main'))).toContain('vcs.rewrite')
    expect(kindsOf(push, {})).toContain('vcs.rewrite')
  }
})

test('a remote that stays on its machine is led nowhere else', () => {
  const files = { '.git/HEAD': '', '.git/config': '[remote "origin"]\n\turl = https://git.corp.example/a.git\n' }
  expect(kindsOf('git remote set-url origin git@git.corp.example:b.git', files)).not.toContain('vcs.remote')
  expect(kindsOf('git remote set-url origin git@git.other.example:b.git', files)).toContain('vcs.remote')
})
