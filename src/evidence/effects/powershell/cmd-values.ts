import type { Paths } from '../places/paths.ts'
import { type Field, fieldOf, literal } from '../values/field.ts'
import { type Flow, NO_FLOW, type Value, known, mergeFlow, unknown } from '../values/value.ts'
import { windowsVariable, withSlashes } from './windows-path.ts'

/** `cmd` itself accepts no longer line. */
export const LONGEST_LINE = 8_191

/** Environment variables with a secret in them, by their names. */
export const SECRET_VARIABLE = /SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL/i

/** Variables of `cmd`: known texts, and the flow of unknown ones. */
export interface CmdVariables {
  readonly texts: Map<string, string>
  readonly flows: Map<string, Flow>
}

const VARIABLE = /([%!])([\w()]{1,64})(?::~(-?\d{1,5})(?:,(-?\d{1,5}))?|:([^=%!\n]{1,64})=([^%!\n]{0,64}))?\1/g

const slice = (text: string, from: number, length: number | undefined): string => {
  const start = from < 0 ? Math.max(0, text.length + from) : from
  const end = length === undefined ? text.length : length < 0 ? text.length + length : start + length
  return text.slice(start, Math.max(start, end))
}

/** Code with the values of known variables: those that it sets, and those of every Windows. */
export const expanded = (code: string, { texts, flows }: CmdVariables, paths: Paths): string =>
  code.replace(/%~dp0\\?/gi, '').replace(VARIABLE, (whole, _sign: string, given: string, from, length, old, next) => {
    const name = given.toLowerCase()
    const text = flows.has(name) ? undefined : (texts.get(name) ?? windowsVariable(name, paths))
    if (text === undefined) return whole
    if (from !== undefined) return slice(text, Number(from), length === undefined ? undefined : Number(length))
    if (old === undefined) return text
    return text.replaceAll(new RegExp(old.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'), () => next ?? '')
  })

/** A word that is given to a program; with a variable in it that is not known, only its start is. */
export const cmdField = (word: string, { flows }: CmdVariables, paths: Paths): Field => {
  const names = [...word.matchAll(/([%!])([\w()]{1,64})\1/g)].map(([, , name = '']) => name.toLowerCase())
  if (names.length === 0) return { ...literal(withSlashes(word, paths)), raw: word }
  const flow = names.reduce<Flow>((all, name) => {
    const own = flows.get(name)
    if (own !== undefined) return mergeFlow(all, own)
    return SECRET_VARIABLE.test(name)
      ? mergeFlow(all, { ...NO_FLOW, secrets: [{ type: 'resource', name: `env:${name.toUpperCase()}` }] })
      : all
  }, NO_FLOW)
  const prefix = word.slice(0, word.search(/[%!]/))
  return fieldOf({ ...unknown(flow), prefix }, word)
}

/** What `echo` prints. */
export const printedText = (words: readonly string[], variables: CmdVariables, paths: Paths): Value => {
  const field = cmdField(words.join(' '), variables, paths)
  return field.texts.length === 0 ? field : known(`${field.texts[0] ?? ''}\n`)
}
