import { NO_FLOW, type Value, isKnown, known, mergeFlow, unknown } from '../values/value.ts'
import type { PsContext } from './context.ts'
import type { PsWord } from './statements.ts'

/** Variables that are folders; they stay as written, for paths. */
const FOLDER_VARIABLE =
  /^(?:home|pwd|true|false|null|_|env:(?:userprofile|homepath|appdata|localappdata|temp|tmp|systemroot|windir|systemdrive|homedrive|program\w+|path|computername|username|os))$/i

const SECRET_VARIABLE = /SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL/i

/** A word's text with its variables expanded; an unknown one stays, with its `$`. */
export const psValue = (word: PsWord, context: PsContext): Value => {
  if (word.group !== undefined) return word.text.startsWith('{') ? unknown() : context.code(word.group)
  let flow = NO_FLOW
  const text = word.text.replace(/\$\{?((?:env:|script:|global:)?\w+)\}?/gi, (whole, name: string) => {
    const value = context.variables.get(name.toLowerCase())
    if (value !== undefined) {
      flow = mergeFlow(flow, value.flow)
      return isKnown(value) ? (value.texts[0] ?? '') : whole
    }
    if (/^env:/i.test(name) && SECRET_VARIABLE.test(name))
      flow = mergeFlow(flow, { ...NO_FLOW, secrets: [{ type: 'resource', name: `env:${name.slice(4)}` }] })
    return whole
  })
  const open = /\$\{?(\w[\w:]*)/.exec(text)?.[1]
  return open !== undefined && !FOLDER_VARIABLE.test(open)
    ? { ...unknown(flow), prefix: text.slice(0, text.indexOf('$')) }
    : known(text, flow)
}
