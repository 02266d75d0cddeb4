import { type Value, isKnown, known, unknown } from '../values/value.ts'
import { type Running, flowOf, pathsOf, read } from './cmdlet-run.ts'
import { psValue } from './ps-value.ts'
import type { PsWord } from './statements.ts'

/**
 * A request or a transfer, run as `curl` with the same options: its row covers what is sent where, which login belongs
 * to which service, and what a DELETE removes.
 */
export const web = (running: Running): Value => {
  const { context, name, args, input } = running
  const isTransfer = name === 'start-bitstransfer'
  const uploads = isTransfer && args.get('transfertype').some((word) => /^upload/i.test(word.text))
  const value = (word: PsWord): Value => psValue(word, context)
  const whole = (words: readonly PsWord[]): readonly Value[] =>
    words.length === 0 ? [] : words.length === 1 && words[0] ? [value(words[0])] : [unknown(flowOf(words.map(value)))]
  const given: Value[] = []
  const add = (option: string, values: readonly Value[]): void => {
    for (const one of values) given.push(known(option), one)
  }
  const [source, target] = [args.get('source'), args.get('destination')]
  const operands = [...args.operands]
  const url = [
    ...args.get('uri'),
    ...(uploads ? target : isTransfer ? source : []),
    ...operands.splice(uploads && source.length === 0 ? 1 : 0, 1),
  ].slice(0, 1)
  const method = args.get('method', 'custommethod').map(value)
  add('-X', method)
  add('-H', whole([...args.get('headers')]))
  const sends = method.some((one) => !/^(?:get|head)$/i.test(one.texts[0] ?? ''))
  const body = [...whole(args.get('body', 'form')), ...(sends && input !== undefined ? [input] : [])]
  for (const one of body) {
    const files = isKnown(one) ? [] : one.flow.processes
    // Files that are listed for it go with it.
    const content = files.length > 0 ? read(running, pathsOf(running, args.get('form', 'body'), 'content')) : one
    add('--data-raw', [isKnown(one) ? one : unknown(flowOf([one, content]))])
  }
  add('-T', [...args.get('infile'), ...(uploads ? [...source, ...operands] : [])].map(value))
  add('-o', [...args.get('outfile'), ...(isTransfer && !uploads ? [...target, ...operands] : [])].map(value))
  return context.program('curl', [...given, ...url.map(value)])
}
