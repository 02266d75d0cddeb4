import { analyseShell } from './dispatch/analyse-code.ts'
import { commandRow } from './dispatch/programs.ts'
import { effectNotation, isPlainRun } from './effect-notation.ts'
import { DEFAULT_EFFECT_BUDGET } from './engine/analysis.ts'
import type { Example } from './engine/call.ts'
import { createEngine } from './engine/engine.ts'
import type { Frame } from './engine/frame.ts'
import { callOf, FILES, GUARD } from './fixture.ts'
import { createGuardRules } from './guard/guard-rules.ts'
import { createPaths } from './places/paths.ts'
import { tellSql } from './sql/tell-sql.ts'
import { tellWorkflow } from './workflows/tell-workflow.ts'
import { createGivenWorld } from './world/given-world.ts'

export type Rows = Frame['rows']

/** Files of a project, by their path below it, with their text. */
export type Files = Readonly<Record<string, string>>

/** A word of a table that an example has to fail without. */
export interface Word {
  /** Where it stands, as the person who reads the failure looks for it. */
  readonly place: string
  readonly word: string
  /** The words beside which it stands: an example with one of them stands for all. */
  readonly cell: readonly string[]
  readonly examples: readonly Example[]
  readonly files?: Files
  /** The programs that are known when the word is not. */
  readonly without: () => Rows
}

const PROJECT = '/home/user/app'

/** The effects of a command where only these programs are known, as one text. */
export const effectsAmong = (rows: Rows, command: string, files: Files = {}): string => {
  const own = Object.entries(files).map(([name, text]) => [`${PROJECT}/${name}`, text] as const)
  const world = createGivenWorld({ home: '/home/user', files: { ...FILES, ...Object.fromEntries(own) } })
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

interface Variant {
  readonly command: string
  readonly files: Files
}

/** An example with one word put in the place of another. */
const variantsOf = ({ word, cell, examples, files = {} }: Word): readonly Variant[] =>
  examples
    .flatMap(([command]) =>
      [word, ...cell.filter((one) => one !== word)].map((from) => ({
        from,
        command: exchanged(command, from, word),
        files: Object.fromEntries(
          Object.entries(files).map(([name, text]) => [exchanged(name, from, word), exchanged(text, from, word)]),
        ),
        was: command,
      })),
    )
    .filter(({ from, command, files: changed, was }) =>
      from === word
        ? [was, ...Object.keys(files)].some((text) => exchanged(text, word, '\0') !== text)
        : command !== was || Object.keys(changed).some((name) => !Object.hasOwn(files, name)),
    )

/** Whether an example, with the word in the place of another one beside it, is different without the word. */
export const isProven = (word: Word): boolean =>
  variantsOf(word).some(
    ({ command, files }) => effectsAmong(commandRow, command, files) !== effectsAmong(word.without(), command, files),
  )
