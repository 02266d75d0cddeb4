import { type Field, textOf } from '../values/field.ts'
import { EMPTY, type Value, concat, isKnown, oneOf, unknown, withFlow } from '../values/value.ts'
import type { Call } from '../engine/call.ts'

/** Content of the operands, or standard input without operands or for `-`. */
export const inputOf = (call: Call, operands: readonly Field[]): Value => {
  const files = operands.filter((field) => textOf(field) !== '-')
  const content = files.length > 0 ? call.read(files) : EMPTY
  const piped = files.length < operands.length || operands.length === 0
  return piped ? concat(content, call.stdin ?? (files.length > 0 ? EMPTY : unknown())) : content
}

/** Data that passes through unchanged. */
export const passes = (call: Call): Value => inputOf(call, call.options.operands)

/** Data that passes through and is transformed. */
export const changes = (call: Call): Value => unknown(withFlow(passes(call), { local: true }).flow)

/** Represents the names of files somewhere below some folders. */
export const placeholder = (roots: readonly Field[], names = true): Value => {
  if (!names) return unknown({ ...EMPTY.flow, local: true })
  const texts = roots.flatMap((field) =>
    isKnown(field) ? field.texts.map((text) => `${text.replace(/\/+$/, '')}/FILE`) : [],
  )
  return texts.length > 0 ? withFlow(oneOf(texts), { local: true }) : unknown({ ...EMPTY.flow, local: true })
}
