import { type Value, known, oneOf, unknown } from '../values/value.ts'
import { psArguments } from './arguments.ts'
import type { PsContext, PsFunction } from './context.ts'
import { psValue } from './ps-value.ts'
import type { PsWord } from './statements.ts'

const PARAMETER = /(?:^|,)[^$,]{0,256}\$(\w{1,64})\s{0,16}(?:=\s{0,16}([^,\n]{0,256}))?/g
const PARAM_BLOCK = /^\s{0,256}(?:\[CmdletBinding\(\)\]\s{0,64})?param\s{0,16}\(([^{}]{0,4096}?)\)/i

/** The function that these words define, with its name in lower case. */
export const definedBy = (name: string, words: readonly PsWord[]): readonly [string, PsFunction] | undefined => {
  if (name !== 'function' && name !== 'filter') return undefined
  const [named, ...groups] = words
  const body = groups.find(({ text }) => text.startsWith('{'))?.group
  if (named === undefined || body === undefined) return undefined
  const parameters = groups.find(({ text }) => text.startsWith('('))?.group ?? PARAM_BLOCK.exec(body)?.[1] ?? ''
  return [named.text.toLowerCase().replace(/^(?:global|script|local|private):/, ''), { body, parameters }]
}

/** Runs a function with these arguments: its parameters are variables, and so is `$args`. */
export const callFunction = (
  { body, parameters }: PsFunction,
  words: readonly PsWord[],
  input: Value | undefined,
  context: PsContext,
): Value => {
  const args = psArguments(words)
  const operands = args.operands.map((word) => psValue(word, context))
  context.variables.set('args', operands.length > 0 ? oneOf(operands.flatMap(({ texts }) => texts)) : unknown())
  for (const [, name = '', preset] of parameters.matchAll(PARAMETER)) {
    const [word] = args.get(name.toLowerCase())
    const value = word === undefined ? operands.shift() : psValue(word, context)
    const given = value ?? (preset === undefined ? known('') : context.code(preset))
    context.variables.set(name.toLowerCase(), given)
  }
  return context.code(body, input)
}
