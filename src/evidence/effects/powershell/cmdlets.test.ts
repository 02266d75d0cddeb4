import { expect, test } from 'vitest'
import { effectsOfTool } from '../fixture.ts'
import { lacking } from '../lacking.fixture.ts'
import { words } from '../values/words.ts'
import { ACTS, CMDLETS } from './cmdlets.ts'

const effectsOf = (command: string): string => effectsOfTool('PowerShell', { command }).join(' ')

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** A command with each name of the row that begins a statement replaced by one of them. */
const exchanged = (command: string, names: readonly string[], name: string): string =>
  command.replace(
    new RegExp(String.raw`(^|[;|{(]\s*)(?:${names.map(escaped).join('|')})(?=[\s(]|$)`, 'gi'),
    (_, before: string) => `${before}${name}`,
  )

test('every name of a cmdlet is in an example that fails without it', () => {
  const unproven = CMDLETS.flatMap((row) => {
    const names = words(row.names)
    return names.filter(
      (name) =>
        !row.examples
          .map(([command]) => exchanged(command, names, name))
          .some((command) => effectsOf(command) !== lacking(ACTS, name, () => effectsOf(command))),
    )
  })
  expect(unproven).toEqual([])
})
