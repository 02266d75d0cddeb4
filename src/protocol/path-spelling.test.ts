import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commonSpelling, isAbsolutePath, isOfWindows } from './path-spelling.ts'

const ID = '/C:/Users/me/.ssh/id_rsa'

describe('one spelling', () => {
  test.each([
    String.raw`C:\Users\me\.ssh\id_rsa`,
    'c:/Users/me/.ssh/id_rsa',
    '/C:/Users/me/.ssh/id_rsa',
    String.raw`\\?\C:\Users\me\.ssh\id_rsa`,
    String.raw`\\.\C:\Users\me\.ssh\id_rsa`,
    String.raw`\??\C:\Users\me\.ssh\id_rsa`,
    '//?/C:/Users/me/.ssh/id_rsa',
    String.raw`\\localhost\C$\Users\me\.ssh\id_rsa`,
    String.raw`\\?\UNC\127.0.0.1\c$\Users\me\.ssh\id_rsa`,
    String.raw`Microsoft.PowerShell.Core\FileSystem::C:\Users\me\.ssh\id_rsa`,
    String.raw`C:\Users\me\.ssh.\id_rsa `,
    String.raw`C:\Users\me\.ssh\id_rsa::$DATA`,
  ])('%s', (raw) => {
    expect(commonSpelling(raw)).toBe(ID)
  })

  test.each(['/c/Users/me/.ssh/id_rsa', '/mnt/c/Users/me/.ssh/id_rsa', '/cygdrive/c/Users/me/.ssh/id_rsa'])(
    '%s is a drive on Windows alone',
    (raw) => {
      expect(commonSpelling(raw, true)).toBe(ID)
      expect(commonSpelling(raw)).toBe(raw)
    },
  )

  test.each([
    [String.raw`\\server\share\a.txt`, '/UNC/server/share/a.txt'],
    [String.raw`\\wsl$\Ubuntu\home\me\.ssh`, '/home/me/.ssh'],
    [String.raw`\\wsl.localhost\Ubuntu`, '/'],
    [String.raw`\\.\PhysicalDrive1`, '/dev/disk1'],
    [String.raw`..\a\b.ts`, '../a/b.ts'],
    ['C:', '/C:/'],
  ])('%s is %s', (raw, path) => {
    expect(commonSpelling(raw)).toBe(path)
  })

  test.each(['/home/me/a', 'src/a.ts', 'a:b', 'https://e.example/a', String.raw`a\ b`, '~/a', 'C:a'])(
    '%s stays as it is',
    (raw) => {
      expect(commonSpelling(raw)).toBe(raw)
    },
  )
})

test('what is in the common spelling stays in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('C', ':', '\\', '/', '?', '.', ' ', '$', 'a', '~') }), (raw) => {
      for (const onWindows of [true, false]) {
        const once = commonSpelling(raw, onWindows)
        if (isOfWindows(once)) expect(commonSpelling(once, onWindows)).toBe(once)
      }
    }),
  )
})

test('absolute on any system', () => {
  expect(['/a', String.raw`D:\a`, String.raw`\\server\share`, 'C:/'].map(isAbsolutePath)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(['a', 'C:a', String.raw`.\a`, '~'].map(isAbsolutePath)).toEqual([false, false, false, false])
})
