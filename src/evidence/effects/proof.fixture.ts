import { analyseShell } from './dispatch/analyse-code.ts'
import { commandRow } from './dispatch/programs.ts'
import { effectNotation, isPlainRun } from './effect-notation.ts'
import { DEFAULT_EFFECT_BUDGET } from './engine/analysis.ts'
import { createEngine } from './engine/engine.ts'
import type { Frame } from './engine/frame.ts'
import { callOf, filesWith, GUARD } from './fixture.ts'
import { createGuardRules } from './guard/guard-rules.ts'
import { createPaths } from './places/paths.ts'
import { tellSql } from './sql/tell-sql.ts'
import { tellWorkflow } from './workflows/tell-workflow.ts'
import { createGivenWorld } from './world/given-world.ts'

export type Rows = Frame['rows']

type Files = Readonly<Record<string, string>>

/** A word of a table that an example has to fail without. */
export interface Word {
  /** Where it stands, as the person who reads the failure looks for it. */
  readonly place: string
  readonly word: string
  /** The words beside which it stands: an example with one of them stands for all. */
  readonly cell: readonly string[]
  /** Commands. */
  readonly examples: readonly string[]
  /** Files of the project that they run in. */
  readonly files?: Files
  /** The words are files, or patterns of files, that are looked for. */
  readonly areFiles?: boolean
  /** The programs that are known when the word is not. */
  readonly without: () => Rows
}

/** The effects of a command where only these programs are known, as one text. */
export const effectsAmong = (rows: Rows, command: string, files: Files = {}): string => {
  const world = createGivenWorld({ home: '/home/user', files: filesWith(files) })
  const paths = createPaths(world, callOf('Bash', { command }).session, GUARD.paths)
  const engine = createEngine(paths, createGuardRules(GUARD, paths), {
    budget: DEFAULT_EFFECT_BUDGET,
    tellSql: (text, teller) => tellSql(text, teller),
    tellWorkflow,
    isSpent: () => false,
  })
  analyseShell(command, '/input/command', engine, { rows })
  return engine
    .effects()
    .filter((effect) => !isPlainRun(effect))
    .map(effectNotation)
    .toSorted()
    .join(' ')
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** A variable stands in tables with the `$` that it has where it is read, and in commands as it is set. */
const asWritten = (word: string): string => word.replace(/^\$/, '')

/** Whole words: of a command, of a name of a file, of a line in it. */
const exchanged = (text: string, from: string, to: string): string =>
  text.replace(new RegExp(`(?<![\\w.@/-])${escaped(asWritten(from))}(?![\\w@-])`, 'g'), () => asWritten(to))

type Variant = readonly [command: string, files: Files]

/** A file that a pattern stands for. */
const fileLike = (pattern: string): string =>
  pattern.replace(/^\+\//, '').replace('**/', '').replace('*', 'a').replace('{}', 'go')

/** The examples with one word put in the place of another beside it, those with the word itself first. */
function* variantsOf({ word, cell, examples, files = {}, areFiles = false }: Word): Generator<Variant> {
  const all = Object.entries(files)
  if (areFiles)
    for (const command of examples) {
      const [text = ''] = Object.values(files)
      yield [command, { [fileLike(word)]: text }]
    }
  for (const from of [word, ...cell.filter((one) => one !== word)]) {
    const change = (text: string): string => exchanged(text, from, word)
    const changed = Object.fromEntries(all.map(([name, text]) => [name, change(text)]))
    for (const command of examples) {
      if (exchanged(command, from, '\0') !== command) yield [change(command), changed]
    }
  }
  // A word may stand in an example under another name: `ld.so` as `/lib64/ld-linux-x86-64.so.2`.
  for (const command of examples) yield [command, files]
}

/** Whether an example, with the word in the place of another one beside it, is different without the word. */
export const isProven = (word: Word, whole: (variant: Variant) => string): boolean => {
  const without = word.without()
  for (const [command, files] of variantsOf(word))
    if (whole([command, files]) !== effectsAmong(without, command, files)) return true
  return false
}
