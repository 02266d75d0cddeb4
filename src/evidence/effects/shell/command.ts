import type { Assignment, Command } from 'unbash'
import { EMPTY, type Value, concat, known, unknown } from '../value.ts'
import { type Field, fieldOf } from './field.ts'
import { type Frame, placeOf } from './frame.ts'
import { openRedirects, withRedirects } from './redirects.ts'
import { createWordHost } from './substitution.ts'
import { runArithmeticText, runArithmeticValue, wordFields, wordValue } from './words.ts'

const assign = (node: Assignment, frame: Frame): readonly [string, Value] => {
  const host = createWordHost(frame)
  if (node.index !== undefined) runArithmeticValue(wordValue(node.index, host), host)
  if (node.value.type === 'ArrayValue') {
    for (const { text } of node.value.elements) if (text.startsWith('[')) runArithmeticText(text.slice(1), host)
    const fields = node.value.elements.flatMap((word) => wordFields(word, host))
    for (const [at, field] of fields.entries()) frame.state.vars.set(`${node.name}[${at}]`, field)
    const all = fields.reduce<Value>((sum, one, at) => (at === 0 ? one : concat(concat(sum, known(' ')), one)), EMPTY)
    frame.state.vars.set(`${node.name}[@]`, all)
    frame.state.vars.set(`${node.name}[*]`, all)
    return [node.name, fields[0] ?? EMPTY]
  }
  const value = wordValue(node.value, host)
  const before = frame.state.vars.get(node.name)
  return [node.name, node.append === true ? concat(before ?? unknown(), value) : value]
}

const argumentFields = (node: Command, frame: Frame): readonly Field[] => {
  const host = createWordHost(frame)
  return node.args.flatMap((argument) => {
    if (argument.type === 'Word') return wordFields(argument, host)
    const [name, value] = assign(argument, frame)
    return [fieldOf(concat(known(`${name}=`), value), argument.text)]
  })
}

/** Runs one simple command: assignments, words, redirections, then the program. */
export const runSimple = (node: Command, frame: Frame): Value => {
  const place = placeOf(frame, node)
  const assignments = node.prefix.flatMap((part) => (part.type === 'Assignment' ? [assign(part, frame)] : []))
  const name = node.name === undefined ? [] : wordFields(node.name, createWordHost(frame))
  const argv = [...name, ...argumentFields(node, frame)]
  const opened = openRedirects(node.redirects, frame)
  if (argv.length === 0) {
    for (const [key, value] of assignments) frame.state.vars.set(key, value)
    return withRedirects(opened, frame, (inner) => (node.redirects.length > 0 ? (inner.state.stdin ?? EMPTY) : EMPTY))
  }
  const environment = new Map(assignments)
  return withRedirects(opened, frame, (inner) =>
    frame.runner.argv(argv, inner, { place, environment, network: opened.network }),
  )
}
