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
