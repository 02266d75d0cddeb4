import fc from 'fast-check'
import { expect, test } from 'vitest'
import { analyse, effectsOf } from '../fixture.ts'

const cmd = (code: string): string => `cmd /c '${code}'`

const WINDOWS = 'fs.delete+recursive+force@system'

test.each([
  ['a folder gone into', 'cd C:\\Windows & del /f /q a.dll', ['fs.delete+force@system']],
  ['a folder gone into by drive', 'cd /d C:\\ && rd /s /q Windows', [WINDOWS]],
  ['a folder not known', 'cd %X% & rd /s /q a', ['fs.delete+recursive+force@unresolved']],
  ['a variable', 'set D=C:\\Windows& rd /s /q %D%', [WINDOWS]],
  ['a quoted variable', 'set "D=C:\\Windows" & rd /s /q "%D%"', [WINDOWS]],
  ['a variable that says what runs', 'set C=rd& !C! /s /q C:\\Windows', [WINDOWS]],
  ['a variable that is asked for', 'set /p D=? & rd /s /q %D%', ['fs.delete+recursive+force@unresolved']],
  ['a loop', 'for %i in (dist C:\\Windows) do rd /s /q %i', ['fs.delete+recursive+force@workspace', WINDOWS]],
  ['a loop over folders', 'for /d %%i in (C:\\Users\\*) do @rd /s /q "%%~fi"', ['fs.delete+recursive+force+glob@home']],
  ['a loop down a folder', 'for /r C:\\ %i in (*) do del /q %i', ['fs.delete+force+glob@root']],
  [
    'a loop over what a command prints',
    'for /f %i in (`type a.txt`) do rd /s /q %i',
    ['fs.read@workspace', 'fs.delete+recursive+force@unresolved'],
  ],
  ['a loop that cannot be read', 'for x', ['exec.run@unresolved', 'unresolved@unresolved']],
  ['a branch', 'if exist C:\\Windows rd /s /q C:\\Windows', [WINDOWS]],
  ['the other branch', 'if not exist a (echo no) else (rd /s /q C:\\Windows)', [WINDOWS]],
  ['a group', '(echo a & rd /s /q C:\\Windows)', [WINDOWS]],
  ['files of the workspace', 'cd build && del /q a.obj & for %i in (a b) do echo %i', ['fs.delete+force@workspace']],
] as const)('%s', (_, code, expected) => {
  expect(effectsOf(cmd(code))).toEqual(expected)
})

const PIECES = [
  'for',
  '%i',
  '%%i',
  'in',
  '(',
  ')',
  'do',
  'if',
  'exist',
  'else',
  'set',
  'D=',
  '%D%',
  'cd',
  'rd',
  '/s',
  '"',
  '^',
  '&',
  '|',
  '>',
  'C:\\',
  '\n',
  ' ',
]

test('any text is answered, and spans lie inside it', () => {
  const code = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((parts) => parts.join(' '))
  fc.assert(
    fc.property(code, (text) => {
      const command = cmd(text)
      return analyse(command).effects.every(({ span }) => span === undefined || span.end <= command.length)
    }),
    { numRuns: 1_000 },
  )
})

test.each(['(', 'for %i in (a b) do ', 'if exist a ', '%D%', 'set a=%a%%a%& '])(
  '%j without end is answered',
  (piece) => {
    expect(analyse(cmd(piece.repeat(5_000))).effects.length).toBeLessThan(5_000)
  },
)
