import type { Value } from '../values/value.ts'
import type { WordHost } from './word-host.ts'

/**
 * Runs the code in text that is evaluated as arithmetic: the commands in it, and those in subscripts in the values of
 * its variables, which are evaluated in turn.
 */
export const runArithmeticText = (text: string, host: WordHost, seen: Set<string> = new Set()): void => {
  host.expand(text)
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
    if (seen.has(name)) continue
    seen.add(name)
    for (const held of host.state.vars.get(name)?.texts ?? []) runArithmeticText(held, host, seen)
  }
}

/** The same for a value. */
export const runArithmeticValue = (value: Value, host: WordHost): void => {
  for (const text of value.texts) runArithmeticText(text, host)
}

/** Runs the code in the subscript of a variable's name, as in `unset 'a[$(x)]'`. */
export const runSubscripts = (name: Value, host: WordHost): void => {
  for (const text of name.texts) if (text.includes('[')) runArithmeticText(text.slice(text.indexOf('[')), host)
}
