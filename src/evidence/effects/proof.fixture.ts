import { analyseShell } from './dispatch/analyse-code.ts'
import { effectNotation } from './effect-notation.fixture.ts'
import { DEFAULT_EFFECT_BUDGET } from './engine/analysis.ts'
import { createEngine } from './engine/engine.ts'
import type { Frame } from './engine/frame.ts'
import { callOf, filesWith, GUARD } from './fixture.ts'
import { fileLike } from './plainest.fixture.ts'
import { createGuardRules } from './guard/guard-rules.ts'
import { createPaths } from './places/paths.ts'
import { emitSql } from './sql/emit-sql.ts'
import { emitWorkflow } from './workflows/emit-workflow.ts'
import { createGivenWorld } from './world/given-world.ts'

export type Rows = Frame['rows']

type Files = Readonly<Record<string, string>>

/** A command, and the files of the project that it runs in. */
export interface Given {
  readonly command: string
  readonly files: Files
}

/** A word of a table that an example has to fail without. */
export interface Word {
  /** Its place, as the reader of a failure would search for it. */
  readonly place: string
  readonly word: string
  /** The alternatives in its cell: an example with one of them covers all. */
  readonly cell: readonly string[]
  /** Commands. */
  readonly examples: readonly string[]
  /** Files of the project that they run in. */
  readonly files?: Files
  /** Commands that follow from the row itself. */
  readonly plainest?: readonly Given[]
  /** The words are files, or patterns of files, that the runner searches. */
  readonly areFiles?: boolean
  /** The programs that are known when the word is not. */
  readonly without: () => Rows
}

/** The effects of a command where only these programs are known, as one text. */
const effectsAmong = (rows: Rows, command: string, files: Files = {}): string => {
  const world = createGivenWorld({ home: '/home/user', files: filesWith(files) })
  const paths = createPaths(world, callOf('Bash', { command }).session, GUARD.paths)
  const engine = createEngine(paths, createGuardRules(GUARD, paths), {
    budget: DEFAULT_EFFECT_BUDGET,
    emitSql: (text, emitter) => emitSql(text, emitter),
    emitWorkflow,
    isSpent: () => false,
  })
  analyseShell(command, '/input/command', engine, { rows })
  return engine.effects().map(effectNotation).toSorted().join(' ')
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** A variable has a `$` in tables and where it is read, but not where a command sets it. */
const asWritten = (word: string): string => word.replace(/^\$/, '')

/** Whole words: of a command, of a name of a file, of a line in it. */
const exchanged = (text: string, from: string, to: string): string =>
  text.replace(new RegExp(`(?<![\\w.@/-])${escaped(asWritten(from))}(?![\\w@-])`, 'g'), () => asWritten(to))

/** The examples with one word put in the place of another beside it, those with the word itself first. */
function* variantsOf({ word, cell, examples, files = {}, areFiles = false, plainest = [] }: Word): Generator<Given> {
  const all = Object.entries(files)
  for (const from of [word, ...cell.filter((one) => one !== word)]) {
    const change = (text: string): string => exchanged(text, from, word)
    const changed = Object.fromEntries(all.map(([name, text]) => [name, change(text)]))
    for (const command of examples)
      if (exchanged(command, from, '\0') !== command) yield { command: change(command), files: changed }
  }
  const [text = ''] = Object.values(files)
  if (areFiles) for (const command of examples) yield { command, files: { [fileLike(word)]: text } }
  // An example may contain a word under another name: `ld.so` as `/lib64/ld-linux-x86-64.so.2`.
  for (const command of examples) yield { command, files }
  yield* plainest
}

/**
 * Whether an example is different without a word: as written, with the word in place of an alternative, or the plainest
 * command for the word's own line.
 */
export const createProof = (rows: Rows): ((word: Word) => boolean) => {
  const seen = new Map<string, string>()
  const whole = ({ command, files }: Given): string => {
    const key = [command, ...Object.entries(files).flat()].join('\0')
    const known = seen.get(key) ?? effectsAmong(rows, command, files)
    seen.set(key, known)
    return known
  }
  return (word) => {
    const without = word.without()
    for (const given of variantsOf(word))
      if (whole(given) !== effectsAmong(without, given.command, given.files)) return true
    return false
  }
}
