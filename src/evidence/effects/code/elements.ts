import { elementOf, receiverOf, statementEnd } from './bindings.ts'
import { closing, dottedAt, evaluate } from './expression.ts'
import type { Result, Scope } from './scope.ts'
import type { Token } from './tokens.ts'

/** Methods that pass each element to a function or a block. */
const EACH = /^(?:forEach|map|flatMap|each|each_entry|filter|select|some|every)$/

const textAt = (tokens: readonly Token[], at: number): string => tokens[at]?.text ?? ''

/**
 * Position of the name of a block's or function's first parameter: `f =>`, `(f) =>`, `function (f)`, `{ |f|`, `do |f|`.
 */
const parameterAt = (tokens: readonly Token[], from: number): number | undefined => {
  let at = from
  if (textAt(tokens, at) === '{' || textAt(tokens, at) === 'do')
    return textAt(tokens, at + 1) === '|' ? at + 2 : undefined
  if (textAt(tokens, at) !== '(') return undefined
  at++
  if (textAt(tokens, at) === 'async') at++
  if (textAt(tokens, at) === 'function') at++
  if (textAt(tokens, at) === '(') return at + 1
  return textAt(tokens, at + 1) === '=' && textAt(tokens, at + 2) === '>' ? at : undefined
}

/** `foreach my $f (LIST)` of Perl and `foreach (LIST as $f)` of PHP. */
const bindHead = (tokens: readonly Token[], at: number, scope: Scope): void => {
  const from = at + (textAt(tokens, at + 1) === 'my' ? 2 : 1)
  const open = textAt(tokens, from) === '(' ? from : from + 1
  if (textAt(tokens, open) !== '(') return
  const list = tokens.slice(open + 1, closing(tokens, open))
  const as = list.findIndex((token) => token.type === 'name' && token.text === 'as')
  const name = as >= 0 ? list.at(-1) : tokens[from]
  if (name?.type !== 'name') return
  scope.vars.set(name.text, elementOf(evaluate(as >= 0 ? list.slice(0, as) : list, scope)))
}

/** Binds the parameters of functions and blocks that get one element at a time: to the elements of the receiver. */
export const bindEach = (tokens: readonly Token[], scope: Scope): void => {
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'name') continue
    if (token.text === 'foreach' || token.text === 'for') bindHead(tokens, at, scope)
    if (token.text === 'of' && tokens[at - 1]?.type === 'name' && textAt(tokens, at + 1) !== '') {
      const end = statementEnd(tokens, at + 1)
      scope.vars.set(textAt(tokens, at - 1), elementOf(evaluate(tokens.slice(at + 1, end), scope)))
    } else if (EACH.test(token.text) && textAt(tokens, at - 1) === '.') {
      const parameter = parameterAt(tokens, at + 1)
      const name = parameter === undefined ? undefined : tokens[parameter]
      const given = receiverOf(tokens, at - 1, scope)
      if (name?.type === 'name' && given !== undefined) scope.vars.set(name.text, elementOf(given))
    }
  }
}

/** Methods that pass their receiver to a function. */
const GIVES = /^(?:forEach|map|flatMap|each|filter|some|every|then)$/

/** `map(os.remove, LIST)`, `array_map('unlink', LIST)`. */
const MAPS = /^(?:map|array_map|array_walk)$/

/** A named function that gets each element: `.forEach(fs.unlinkSync)`. */
export const namedEach = (
  tokens: readonly Token[],
  at: number,
  scope: Scope,
): { readonly dotted: string; readonly given: Result } | undefined => {
  const name = textAt(tokens, at)
  const member = textAt(tokens, at - 1) === '.'
  if (textAt(tokens, at + 1) !== '(' || !(member ? GIVES : MAPS).test(name)) return undefined
  const first = tokens[at + 2]
  if (first?.type !== 'name' && (member || first?.type !== 'string')) return undefined
  const called = first.type === 'string' ? { name: first.text, end: at + 3 } : dottedAt(tokens, at + 2, scope.names)
  const after = textAt(tokens, called.end)
  if (member) {
    const given = after === ')' ? receiverOf(tokens, at - 1, scope) : undefined
    return given === undefined ? undefined : { dotted: called.name, given: elementOf(given) }
  }
  if (after !== ',') return undefined
  const given = evaluate(tokens.slice(called.end + 1, closing(tokens, at + 1)), scope)
  return { dotted: called.name, given: elementOf(given) }
}
