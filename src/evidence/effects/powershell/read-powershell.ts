import { readMembers } from './dotnet.ts'
import { psValue } from './ps-value.ts'
import { runCmdlet } from './run-cmdlet.ts'
import { type PsPipeline, type PsWord, psStatements } from './statements.ts'
import type { PsContext } from './context.ts'
import { fieldOf } from '../values/field.ts'
import { type Frame, isTooDeep } from '../engine/frame.ts'
import type { Place } from '../engine/engine.ts'
import { EMPTY, NO_FLOW, type Value, isKnown, known, mergeFlow, unknown, withFlow } from '../values/value.ts'
import { ACTS, PASS_VERBS } from './cmdlets.ts'

/** Runs the file that it is given. */
const MODULE = /^(?:import-module|ipmo|using)$/i

const runWords = (given: readonly PsWord[], input: Value | undefined, context: PsContext): Value => {
  const [first, ...rest] = given
  if (first === undefined || !context.engine.spend(1 + given.length)) return unknown()
  for (const { holes = [] } of given) for (const hole of holes) context.code(hole)
  if (!first.quoted && (first.text === '&' || first.text === '.') && rest.length > 0) {
    const [called, ...args] = rest
    if (called?.group !== undefined && called.text.startsWith('{')) return context.code(called.group, input)
    return runNamed(called ?? first, args, input, context)
  }
  const module = MODULE.test(first.text) ? rest.find(({ text }) => /[/\\]|\.psm?1$/i.test(text)) : undefined
  if (module !== undefined) return runNamed(module, [], input, context)
  const assigned = first.quoted ? null : /^\$([\w:]+)\s*\+?=(.*)$/s.exec(first.text)
  if (assigned?.[1] !== undefined)
    return assign(
      assigned[1],
      assigned[2] === '' ? rest : [{ text: assigned[2] ?? '', quoted: true }, ...rest],
      context,
    )
  if (first.text.startsWith('$') && !first.quoted && /^\+?=$/.test(rest[0]?.text ?? ''))
    return assign(first.text.slice(1), rest.slice(1), context)
  if (first.group !== undefined || first.quoted || /^[$[\d@-]/.test(first.text)) {
    const values = given.map((word, at) => (at > 0 ? valueOrBlock(word, undefined, context) : psValue(word, context)))
    const flow = values.reduce((all, one) => mergeFlow(all, one.flow), NO_FLOW)
    return given.length === 1 && values[0] ? values[0] : unknown(flow)
  }
  return runNamed(first, rest, input, context)
}

const assign = (name: string, given: readonly PsWord[], context: PsContext): Value => {
  const [only] = given
  const value =
    given.length === 1 && only && (only.quoted || only.group !== undefined || /^[$\d]/.test(only.text))
      ? psValue(only, context)
      : runWords(given, undefined, context)
  const flow = mergeFlow(value.flow, readMembers(given.map((word) => word.text).join(' '), context).flow)
  context.variables.set(name.toLowerCase(), { ...value, flow, ...(flow === value.flow ? {} : { texts: [] }) })
  return EMPTY
}

const NAMES_ALIAS = /^(?:set-alias|new-alias|sal|nal)$/

/** What a word gives; a block is code that the command it is given to may run. */
const valueOrBlock = (word: PsWord, input: Value | undefined, context: PsContext): Value =>
  word.text.startsWith('{') && word.group !== undefined ? context.code(word.group, input) : psValue(word, context)

const runNamed = (first: PsWord, args: readonly PsWord[], input: Value | undefined, context: PsContext): Value => {
  const named = psValue(first, context)
  if (!isKnown(named)) {
    context.hidden(first.text)
    if (named.flow.network) context.engine.emit({ kind: 'exec.remote', by: first.text }, context.place)
    return unknown(named.flow)
  }
  const text = named.texts[0] ?? ''
  const name = text.toLowerCase().replace(/^.*\\(?=[a-z]+-[a-z]+$)/, '')
  const { engine, place } = context
  const redirect = args.findIndex((word) => !word.quoted && /^>>?$/.test(word.text))
  const own = redirect < 0 ? args : args.filter((_, at) => at !== redirect && at !== redirect + 1)
  const into = redirect < 0 ? undefined : args[redirect + 1]
  const alias = context.variables.get(`alias:${name}`)?.texts[0]
  if (alias !== undefined && alias.toLowerCase() !== name)
    return runNamed({ text: alias, quoted: false }, args, input, context)
  const act = ACTS.get(name)
  let printed: Value
  if (act !== undefined) {
    engine.emit({ kind: 'exec.run', by: name, targets: [{ type: 'command', name }] }, place)
    printed = runCmdlet(act, name, own, input, context)
  } else if (PASS_VERBS.test(name)) {
    const values = own.map((word) => valueOrBlock(word, input, context))
    engine.emit({ kind: 'exec.run', by: name, targets: [{ type: 'command', name }] }, place)
    printed = unknown([...values, ...(input ? [input] : [])].reduce((all, one) => mergeFlow(all, one.flow), NO_FLOW))
  } else if (/\.ps1$/i.test(text)) printed = context.program(text, [])
  else {
    const values = own.map((word) => valueOrBlock(word, input, context))
    if (NAMES_ALIAS.test(name) && values[0] && values[1])
      context.variables.set(`alias:${(values[0].texts[0] ?? '').toLowerCase()}`, values[1])
    printed = context.program(text, values)
  }
  if (into !== undefined && !/^\$null$/i.test(into.text)) runCmdlet('write', 'out-file', [into], printed, context)
  return printed
}

const runPipeline = (pipeline: PsPipeline, input: Value | undefined, context: PsContext): Value => {
  const members = readMembers(pipeline.raw, context)
  let flowing = input
  for (const command of pipeline.commands) {
    const given = flowing === undefined ? undefined : withFlow(flowing, mergeFlow(flowing.flow, members.flow))
    const before = given ?? (members.flow === NO_FLOW ? undefined : members)
    flowing = runWords(command, before, context)
  }
  return withFlow(flowing ?? unknown(), mergeFlow(flowing?.flow ?? NO_FLOW, members.flow))
}

/**
 * Reads PowerShell code without running it: cmdlets and their aliases, variables, pipes, blocks, members of .NET types.
 * What it does not know by name and may run anything is unresolved.
 */
export const readPowershell = (code: string, frame: Frame, place: Place, by: string, input?: Value): Value => {
  const { engine } = frame
  const variables = new Map<string, Value>()
  const read = (text: string, given: Value | undefined, depth: number): Value => {
    if (isTooDeep({ ...frame, depth }, by, place) || engine.exhausted() || !engine.spendText(text)) return unknown()
    const context: PsContext = {
      engine,
      frame,
      place,
      by,
      whole: code,
      variables,
      code: (inner, value) => read(inner, value, depth + 1),
      program: (name, args) =>
        frame.runner.argv(
          [known(name), ...args].map((value) => fieldOf(value, value.texts[0] ?? value.prefix)),
          { ...frame, depth: frame.depth + depth + 1, ...(place.span ? { span: place.span } : {}) },
          { place, environment: new Map(), network: false },
        ),
      hidden: (what) => {
        for (const kind of ['exec.run', 'unresolved'] as const)
          engine.emit({ kind, by, targets: [{ type: 'unknown', raw: what }] }, place)
      },
    }
    let printed: Value = EMPTY
    for (const pipeline of psStatements(text)) {
      if (!engine.spend(1)) return unknown()
      printed = runPipeline(pipeline, given, context)
    }
    return printed
  }
  return read(code, input, 0)
}
