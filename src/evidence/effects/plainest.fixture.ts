import { filesOf, type RunnerRow } from './commands/runners/runner.ts'
import type { Given } from './proof.fixture.ts'
import { words } from './values/words.ts'

/** The lines of a text that commas separate. */
export const linesIn = (text: string): readonly string[] =>
  text
    .trim()
    .replace(/\|\s+/g, '|')
    .split(/\s*,\s+/)

/** A word of a line that may stand there: what the line is with that word alone, and without it. */
export interface Choice {
  readonly word: string
  readonly cell: readonly string[]
  readonly chosen: string
  readonly left: string | undefined
}

/** The words of a line: `run|r !a|b ./x|y` has six. */
export const choicesIn = (line: string): readonly Choice[] =>
  words(line).flatMap((part, at, parts) => {
    const files = at === parts.length - 1 ? filesOf(line) : []
    const [, start = '', body = '', end = ''] = /^(!|\.\/(?=.))?(.*?)(…?)$/.exec(part) ?? []
    const cell = files.length > 0 ? files : body.split('|').filter((one) => /\w/.test(one))
    return cell.map((word) => {
      const others = cell.filter((one) => one !== word)
      const left = others.length === 0 ? undefined : parts.with(at, `${start}${others.join('|')}${end}`).join(' ')
      return { word, cell, chosen: parts.with(at, `${start}${word}${end}`).join(' '), left }
    })
  })

/** Code that deletes everything, by what reads it. */
const DELETES: Readonly<Record<string, string>> = {
  shell: 'rm -rf /',
  line: 'rm -rf /',
  unknown: 'rm -rf /',
  argv: 'rm -rf /',
  python: 'import os; os.system("rm -rf /")',
  javascript: 'require("child_process").execSync("rm -rf /")',
  perl: 'system("rm -rf /")',
  ruby: 'system "rm -rf /"',
  php: '<?php system("rm -rf /");',
  lua: 'os.execute("rm -rf /")',
  other: 'system("rm -rf /")',
}

const first = (part: string): string => part.replace(/^!/, '').split('|')[0] ?? ''

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The shortest command that a line of a runner stands for, with what it runs where the line says. */
export const plainestRun = (row: RunnerRow, runs: string, line: string): readonly Given[] => {
  const kind = runs.replace(/^file /, '')
  const [own = ''] = Object.values(row.files ?? {})
  const code = own === '' ? DELETES[kind] : own
  if (code === undefined) return []
  const parts = words(line)
  const end = parts.at(-1) ?? ''
  const before = parts.slice(0, -1).map((part) => (part === '*' ? 'x' : first(part)))
  const [file = 'a'] = filesOf(line).map((one) => fileLike(one))
  const isFile = runs.startsWith('file ')
  const files: Given['files'] = isFile ? { [file]: code } : {}
  const told = isFile ? `./${file}` : kind === 'argv' ? code : quoted(code)
  const option = end.replace('…', '').split('|')[0] ?? ''
  const rest =
    end.startsWith('./') || end === '@'
      ? ''
      : end === '--'
        ? `-- ${told}`
        : end === '<'
          ? isFile
            ? `< ${file}`
            : `<<< ${told}`
          : end === '…' || end === '.' || end === '+'
            ? told
            : end.startsWith('+/')
              ? '.'
              : `${option} ${told}`
  return words(row.names).map((name) => ({ command: [name, ...before, rest].join(' ').trim(), files }))
}

/** A file that a pattern stands for. */
export const fileLike = (pattern: string): string =>
  pattern.replace(/^\+\//, '').replace('**/', '').replace('*', 'a').replace('{}', 'go')

/** Every line that a line stands for with one word of each cell; `*` is any word, `a*` one that starts so. */
const spelledOut = (line: string): readonly string[] =>
  words(line).reduce<readonly string[]>(
    (all, part) =>
      part === '…'
        ? all
        : all.flatMap((start) =>
            part.split('|').map((word) => `${start} ${word === '*' ? 'x' : word.replace(/\*$/, '')}`),
          ),
    [''],
  )

/** The commands that a line of a program stands for: of nothing, of something, and of something of a test. */
export const plainestCall = (names: readonly string[], line: string): readonly Given[] =>
  spelledOut(line).flatMap((given) =>
    ['', ' a', ' a-test'].flatMap((operand) =>
      names.map((name) => ({ command: `${name}${given}${operand}`, files: {} })),
    ),
  )
