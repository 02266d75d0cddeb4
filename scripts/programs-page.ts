import { RUNNER_FAMILIES } from '../src/evidence/effects/commands/runners/runners.ts'
import { FAMILIES } from '../src/evidence/effects/dispatch/programs.ts'
import type { Example } from '../src/evidence/effects/engine/call.ts'
import { CMDLETS } from '../src/evidence/effects/powershell/cmdlets.ts'
import { words } from '../src/evidence/effects/values/words.ts'

interface PageRow {
  readonly names: readonly string[]
  readonly examples: readonly Example[]
}

const code = (text: string): string => {
  const fence = text.includes('`') ? '``' : '`'
  const pad = fence.length > 1 ? ' ' : ''
  return `${fence}${pad}${text.replaceAll('\n', String.raw`\n`).replaceAll('|', String.raw`\|`)}${pad}${fence}`
}

/** The kinds of a row's effects: what its examples do, without traits and zones. */
const kindsOf = (examples: readonly Example[]): string =>
  [...new Set(examples.flatMap(([, ...effects]) => effects.map((effect) => effect.replace(/[?+@].*$/, ''))))].join(', ')

/** The shortest command that does something, else the shortest. */
const exampleOf = (examples: readonly Example[]): string => {
  const all = examples.toSorted(([left], [right]) => left.length - right.length)
  const [command = ''] = all.find(([, ...effects]) => effects.length > 0) ?? all[0] ?? []
  return command
}

const tableOf = (title: string, rows: readonly PageRow[]): readonly string[] => [
  `## ${title}`,
  '',
  '| programs | effects | example |',
  '|---|---|---|',
  ...rows.map(({ names, examples }) =>
    ['', code(names.join(' ')), kindsOf(examples) || 'none', code(exampleOf(examples)), ''].join(' | ').trim(),
  ),
  '',
]

const DELETES = ['fs.delete']

/** The page of all programs, a table for each family. */
export const programsPage = (): string =>
  [
    '# Programs that are known',
    '',
    'Each row is a row of a table in the code: programs, the kinds of effects that its examples have, and the shortest of',
    'them that has any. [effects.md](effects.md) describes the kinds. A program may have several rows. This page is generated',
    'from `src/evidence/effects` (`npm run generate`); `src/evidence/effects/names-proven.test.ts` proves that each name makes a',
    'difference.',
    '',
    ...FAMILIES.flatMap(([title, rows]) => tableOf(title, rows)),
    ...tableOf(
      'Cmdlets of PowerShell',
      CMDLETS.map(({ names, examples }) => ({ names: words(names), examples })),
    ),
    ...RUNNER_FAMILIES.flatMap(([title, rows]) =>
      tableOf(
        title,
        rows.map(({ names, examples, sample }) => ({
          names: words(names),
          examples: sample === undefined ? examples : [[sample, ...DELETES]],
        })),
      ),
    ),
  ].join('\n')
