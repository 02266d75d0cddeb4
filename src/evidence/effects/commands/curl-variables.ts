import type { Call } from '../engine/call.ts'
import { type Field, fieldOf, literal, visible } from '../values/field.ts'
import { EMPTY, type Value, concat, either, isKnown, known, unknown } from '../values/value.ts'

const EXPAND = '--expand-'

/** `{{name}}` and `{{name:function,…}}` in the value of an option; functions change how the content is written. */
const REFERENCE = /(?<!\\)\{\{([^{}:]{1,128})((?::[^{}]{1,128})?)\}\}/g

const expanded = (text: string, variables: ReadonlyMap<string, Value>): Value => {
  let value: Value = EMPTY
  let end = 0
  for (const { 0: whole, 1: name = '', 2: functions, index } of text.matchAll(REFERENCE)) {
    const content = variables.get(name) ?? EMPTY
    value = concat(value, known(text.slice(end, index)))
    value = concat(value, functions === '' ? content : unknown(content.flow))
    end = index + whole.length
  }
  return concat(value, known(text.slice(end)))
}

/** The variable set by `name=text`, `name@file`, `%NAME` or `%NAME=default`; a range of bytes may follow the name. */
const variableOf = (call: Call, text: string): readonly [name: string, content: Value] | undefined => {
  const [, imports, name = '', sign, rest = ''] = /^(%?)(\w+)(?:\[[^\]]*\])?(?:([=@])([^]*))?$/.exec(text) ?? []
  if (name === '') return undefined
  const file = sign === '@' ? (rest === '-' ? (call.stdin ?? unknown()) : call.read([literal(rest)])) : known(rest)
  return [name, imports === '%' ? either(call.run([literal('printenv'), literal(name)]), file) : file]
}

/**
 * The arguments of curl with its variables inserted, or `undefined` if it sets none: `--variable k@FILE` sets one that a
 * later `--expand-data '{{k}}'` sends as `--data` would.
 */
export const withVariables = (call: Call): readonly Field[] | undefined => {
  const uses = call.args.some((field) => visible(field).startsWith(EXPAND) || visible(field).startsWith('--variable'))
  if (!uses) return undefined
  const variables = new Map<string, Value>()
  const args: Field[] = []
  for (let at = 0; at < call.args.length; at++) {
    const field = call.args[at]
    if (field === undefined) break
    const option = visible(field)
    const isExpanded = option.startsWith(EXPAND)
    if (!isExpanded && option !== '--variable') {
      args.push(field)
      continue
    }
    const given = call.args[++at]
    if (given === undefined) break
    const value = isExpanded && isKnown(given) ? expanded(visible(given), variables) : given
    if (option === '--variable' || option === `${EXPAND}variable`) {
      const set = isKnown(value) ? variableOf(call, value.texts[0] ?? '') : undefined
      if (set !== undefined) variables.set(...set)
    } else args.push(literal(`--${option.slice(EXPAND.length)}`), fieldOf(value, given.raw))
  }
  return args
}
