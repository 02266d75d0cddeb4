import { expect, test } from 'vitest'
import { analyseWith } from '../fixture.ts'

const kindsOf = (command: string, files: Readonly<Record<string, string>>): readonly string[] =>
  analyseWith(command, files).effects.map(({ kind }) => kind)

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
