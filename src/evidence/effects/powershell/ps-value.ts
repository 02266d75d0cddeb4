import { NO_FLOW, type Value, isKnown, known, mergeFlow, unknown } from '../values/value.ts'
import { SECRET_VARIABLE } from './cmd-values.ts'
import type { PsContext } from './context.ts'
import type { PsWord } from './statements.ts'
import { windowsVariable, withSlashes } from './windows-path.ts'

/** Variables that are always there and name no place. */
const OF_SHELL =
  /^(?:true|false|null|_|psitem|lastexitcode|pid|host|args|error|psversiontable|env:(?:path|pathext|computername|os|number_of_processors|processor_architecture))$/

const VARIABLE =
  /\$(?:\{([^}\n]{1,128})\}|(profile)(?:\.\w{1,40})?|((?:env|script|global|local|private|using):\w{1,128}|\w{1,128}))/gi

/** The name under which the value of code inside a text is kept. */
export const holeName = (code: string): string => `<hole>${code}`

const ofShell = (name: string, { engine: { paths } }: PsContext): string | undefined => {
  if (name === 'profile') return `${paths.home}/Documents/PowerShell/Microsoft.PowerShell_profile.ps1`
  if (name === 'pshome') return 'C:/Windows/System32/WindowsPowerShell/v1.0'
  if (name === 'home' || name === 'pwd') return windowsVariable(name, paths)
  return name.startsWith('env:') ? windowsVariable(name.slice(4), paths) : undefined
}

/** A word's text with its variables expanded; an unknown one stays, with its `$`. */
export const psValue = (word: PsWord, context: PsContext): Value => {
  if (word.group !== undefined) return word.text.startsWith('{') ? unknown() : context.code(word.group)
  if (word.verbatim === true || !word.text.includes('$')) return known(word.text)
  let [flow, isOpen] = [NO_FLOW, false]
  const fill = (whole: string, value: Value): string => {
    flow = mergeFlow(flow, value.flow)
    if (value.texts.length === 1) return value.texts[0] ?? ''
    isOpen = true
    return whole
  }
  const filled = (word.holes ?? []).reduce((text, hole) => {
    const value = context.variables.get(holeName(hole))
    return text.replace(`$(${hole})`, (whole) => fill(whole, value ?? unknown()))
  }, word.text)
  const text = filled.replace(VARIABLE, (whole, braced?: string, profile?: string, plain?: string) => {
    const name = (braced ?? profile ?? plain ?? '').toLowerCase().replace(/^(?:script|global|local|private|using):/, '')
    const value = context.variables.get(name)
    if (value !== undefined) return fill(whole, value)
    const place = ofShell(name, context)
    if (place !== undefined) return place
    if (name.startsWith('env:') && SECRET_VARIABLE.test(name))
      flow = mergeFlow(flow, {
        ...NO_FLOW,
        secrets: [{ type: 'resource', name: `env:${name.slice(4).toUpperCase()}` }],
      })
    if (!OF_SHELL.test(name)) isOpen = true
    return whole
  })
  return isOpen
    ? {
        ...unknown(flow),
        prefix: text.slice(0, text.indexOf('$')),
        suffix: /[^$(){}]*$/.exec(text)?.[0].replace(/^[\w:]*/, '') ?? '',
      }
    : known(withSlashes(text, context.engine.paths), flow)
}

/** The only text of a word, or the known start of it. */
export const psText = (word: PsWord, context: PsContext): string => {
  const value = psValue(word, context)
  return isKnown(value) ? (value.texts[0] ?? '') : value.prefix
}
