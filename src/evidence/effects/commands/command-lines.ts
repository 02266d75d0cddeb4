import type { Call, CommandRow, Example } from '../engine/call.ts'
import { visibleWords } from '../values/field.ts'
import type { OptionSpec } from '../values/options.ts'
import type { Value } from '../values/value.ts'
import { words } from '../values/words.ts'

/**
 * Lines of a command that do `act`, separated by commas. A line is words from the first operand on: `a|b` either, `*`
 * any one word, `a*` one with this prefix, `…` at its start any words, `--flag` an option that must be given, in any
 * place; more words may follow.
 */
export type CommandLines<Act extends string> = readonly [act: Act, lines: string]

/** Programs whose command lines select the action; the first matching line counts. */
export interface LineRow<Act extends string> extends OptionSpec {
  readonly names: readonly string[]
  readonly lines: readonly CommandLines<Act>[]
  readonly examples: readonly Example[]
}

interface Line<Act> {
  readonly act: Act
  /** Words before those of the line. */
  readonly isLate: boolean
  readonly words: readonly ((word: string) => boolean)[]
  readonly flags: readonly (readonly string[])[]
}

const isOneOf = (part: string): ((word: string) => boolean) => {
  const choices = part.split('|')
  const whole = new Set(choices)
  const starts = choices.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1))
  return (word) => whole.has(word) || starts.some((start) => word.startsWith(start))
}

const compile = <Act>(act: Act, line: string): Line<Act> => {
  const parts = words(line)
  return {
    act,
    isLate: parts[0] === '…',
    words: parts.filter((part) => !part.startsWith('-') && part !== '…').map(isOneOf),
    flags: parts.filter((part) => part.startsWith('-')).map((part) => part.split('|')),
  }
}

const fitsAt = <Act>(line: Line<Act>, given: readonly string[], from: number): boolean =>
  line.words.every((isIt, at) => {
    const word = given[from + at]
    return word !== undefined && isIt(word)
  })

const fits = <Act>(line: Line<Act>, given: readonly string[], call: Call): boolean =>
  (line.isLate ? given.some((_, from) => fitsAt(line, given, from)) : fitsAt(line, given, 0)) &&
  line.flags.every((names) => call.options.has(...names))

/** What a call does, by the lines of its program. */
export type ReadLines<Act> = (call: Call) => Act | undefined

/** What calls do, by the first line that matches. */
export const readLines = <Act extends string>(rows: readonly CommandLines<Act>[]): ReadLines<Act> => {
  const lines = rows.flatMap(([act, all]) => all.split(',').map((line) => compile(act, line.replace(/\|\s+/g, '|'))))
  return (call) => {
    const given = visibleWords(call.options.operands)
    return lines.find((line) => fits(line, given, call))?.act
  }
}

/** A row of the command table from lines, and from the effects of each act. */
export const lineCommand = <Act extends string>(
  { lines, ...row }: LineRow<Act>,
  run: (call: Call, act: Act | undefined) => Value | void,
): CommandRow => {
  const actOf = readLines(lines)
  return {
    ...row,
    run: (call) => run(call, actOf(call)),
    byLines: {
      lines,
      withLines: (others) => lineCommand({ ...row, lines: others as readonly CommandLines<Act>[] }, run),
    },
  }
}
