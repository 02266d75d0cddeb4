import { expect, test } from 'vitest'
import { codeKeysIn } from './git-keys.ts'

test.each([
  { path: '/app/.git/config', text: '[core]\n\tpager = sh x\n', keys: ['core.pager'] },
  { path: '/app/.git/config', text: '[core]\n\tfsmonitor = sh x\n', keys: ['core.fsmonitor'] },
  { path: '/home/user/.gitconfig', text: '[alias]\n\tst = !sh x\n', keys: ['alias.st'] },
  { path: '/home/user/.gitconfig', text: '[filter "a"]\n\tclean = x\n', keys: ['filter.a.clean'] },
  { path: '/home/user/.gitconfig', text: '[alias]\n\tst = status -sb\n', keys: [] },
  { path: '/home/user/.gitconfig', text: '[core]\n\teditor = vim\n[user]\n\tname = A\n', keys: [] },
  { path: '/app/notes.txt', text: '[core]\n\tpager = sh x\n', keys: [] },
])('$path: $text', ({ path, text, keys }) => {
  expect(codeKeysIn(path, text)).toEqual(keys)
})
