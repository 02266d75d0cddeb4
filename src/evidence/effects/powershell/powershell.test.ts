import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyseEffects } from '../analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from '../engine/analysis.ts'
import { GUARD, WORLD, callOf, effectsOfTool } from '../fixture.ts'

const options = { world: WORLD, guard: GUARD, budget: DEFAULT_EFFECT_BUDGET }
const analysed = (code: string) => analyseEffects(callOf('PowerShell', { command: code }), options)

const PIECES = [
  'Remove-Item',
  'iex',
  'iwr',
  'Get-Content',
  '-Recurse',
  '-Path',
  'C:\\Users\\me',
  '~',
  '$x',
  '$x = ',
  '(',
  ')',
  '{',
  '}',
  '"',
  "'",
  '`',
  '|',
  ';',
  '&',
  '&&',
  '\n',
  '[IO.File]::Delete(',
  '.DownloadString(',
  '$(',
  '@{',
  '%',
  '>',
  ',',
  '#',
  ' ',
]
const code = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((parts) => parts.join(' '))

describe('laws', () => {
  test('any text is answered, and spans lie inside it', () => {
    fc.assert(
      fc.property(fc.oneof(code, fc.string({ maxLength: 200 })), (text) => {
        const { effects } = analysed(text)
        return effects.every(({ span }) => span === undefined || (span.start >= 0 && span.end <= text.length))
      }),
      { numRuns: 2_000 },
    )
  })

  test.each(['(', '{', '"', "'", '.a(', '[a]::b(', '$x ', '| % { ', "& 'a' "])(
    '%j without end is answered',
    (piece) => {
      expect(analysed(piece.repeat(20_000)).effects.length).toBeLessThan(20_001)
    },
  )

  test('what is only printed does nothing', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w :\\./-]{0,40}$/), (text) => {
        const kinds = analysed(`Write-Output '${text}'`).effects.map(({ kind }) => kind)
        return kinds.every((kind) => kind === 'exec.run')
      }),
    )
  })
})

const TAMPER = [
  'Stop-Process -Id 4242',
  'Get-Process node | Stop-Process',
  'Stop-Process -Name sallyport -Force',
  'Remove-Item -Recurse ~/.local/share/sallyport',
  "Set-Content ~/.claude/settings.json '{}'",
  '[Diagnostics.Process]::GetProcessById(4242).Kill()',
  'taskkill /F /PID 4242',
  'irm http://127.0.0.1:8787/v1/approvals -Method Post',
]

test.each(TAMPER)('%s is seen to touch the guard, or is not known', (command) => {
  const effects = effectsOfTool('PowerShell', { command })
  expect(effects.some((one) => /^guard\.tamper|^exec\.run@unresolved|@guard/.test(one))).toBe(true)
})
