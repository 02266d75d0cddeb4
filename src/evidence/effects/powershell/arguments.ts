import { type Value, known, oneOf, unknown } from '../values/value.ts'
import type { PsContext, PsFunction } from './context.ts'
import { psValue } from './ps-value.ts'
import type { PsWord } from './statements.ts'
import { words } from '../values/words.ts'

/** The arguments of a cmdlet, sorted. */
export interface PsArguments {
  readonly operands: readonly PsWord[]
  /** Whether a switch or parameter is given; parameters may be cut short. */
  has(name: string): boolean
  /** Values of a parameter. */
  get(...names: readonly string[]): readonly PsWord[]
}

/** Switches take no value. */
const SWITCHES =
  words(`recurse force confirm whatif raw append passthru wait nonewline verbose usebasicparsing asplaintext all
    removedata removeoem nonewwindow directory file hidden allowclobber noclobber skipcertificatecheck asjob`)

const isShort = (given: string, name: string): boolean => given !== '' && name.startsWith(given)

/** Sorts the words after a cmdlet's name. */
export const psArguments = (args: readonly PsWord[]): PsArguments => {
  const operands: PsWord[] = []
  const values = new Map<string, PsWord[]>()
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word === undefined) break
    const match = word.quoted || word.group !== undefined ? null : /^-([a-z]\w*)(?::(.*))?$/i.exec(word.text)
    if (match?.[1] === undefined) {
      operands.push(word)
      continue
    }
    const name = match[1].toLowerCase()
    const next = args[at + 1]
    const isSwitch = SWITCHES.some((one) => isShort(name, one)) && !['f', 'd', 'a', 'v', 'verb'].includes(name)
    const taken = values.get(name) ?? []
    if (match[2] !== undefined) values.set(name, [...taken, { text: match[2], quoted: true }])
    else if (isSwitch || next === undefined || (!next.quoted && /^-[a-z]/i.test(next.text))) values.set(name, taken)
    else {
      const list = [next]
      while (args[at + list.length + 1]?.more === true) list.push(args[at + list.length + 1] ?? next)
      values.set(name, [...taken, ...list])
      at += list.length
    }
  }
  return {
    operands,
    has: (name) => [...values.keys()].some((given) => isShort(given, name)),
    get: (...names) =>
      [...values].flatMap(([given, found]) => (names.some((name) => isShort(given, name)) ? found : [])),
  }
}

const PARAMETER = /(?:^|,)[^$,]{0,256}\$(\w{1,64})\s{0,16}(?:=\s{0,16}([^,\n]{0,256}))?/g
const PARAM_BLOCK = /^\s{0,256}(?:\[CmdletBinding\(\)\]\s{0,64})?param\s{0,16}\(([^{}]{0,4096}?)\)/i

/** The function that these parts of a statement define, with its name in lower case. */
export const definedBy = (name: string, parts: readonly PsWord[]): readonly [string, PsFunction] | undefined => {
  if (name !== 'function' && name !== 'filter') return undefined
  const [named, ...groups] = parts
  const body = groups.find(({ text }) => text.startsWith('{'))?.group
  if (named === undefined || body === undefined) return undefined
  const parameters = groups.find(({ text }) => text.startsWith('('))?.group ?? PARAM_BLOCK.exec(body)?.[1] ?? ''
  return [named.text.toLowerCase().replace(/^(?:global|script|local|private):/, ''), { body, parameters }]
}

/** Runs a function with these arguments: its parameters are variables, and so is `$args`. */
export const callFunction = (
  { body, parameters }: PsFunction,
  given: readonly PsWord[],
  input: Value | undefined,
  context: PsContext,
): Value => {
  const args = psArguments(given)
  const operands = args.operands.map((word) => psValue(word, context))
  context.variables.set('args', operands.length > 0 ? oneOf(operands.flatMap(({ texts }) => texts)) : unknown())
  for (const [, name = '', preset] of parameters.matchAll(PARAMETER)) {
    const [word] = args.get(name.toLowerCase())
    const value = word === undefined ? operands.shift() : psValue(word, context)
    context.variables.set(name.toLowerCase(), value ?? (preset === undefined ? known('') : context.code(preset)))
  }
  return context.code(body, input)
}
