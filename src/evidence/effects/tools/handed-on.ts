import { type Json, type JsonObject, isObject } from '../../../protocol/json.ts'
import type { ToolRef } from '../../../protocol/step.ts'
import { wordsOf } from './tool-words.ts'

const NAME = /^(?:name|tool|tool_?name|function|function_?name)$/i
const INPUT = /^(?:arguments|args|input|params|parameters|tool_?input|tool_?args|payload)$/i

/** Whether a tool hands calls of other tools on, by its name: `call_tool`, `execute_tool`. */
export const handsOn = ({ name }: ToolRef): boolean => {
  const words = wordsOf(name, undefined)
  return (
    words.some((word) => /^tools?$/.test(word)) &&
    words.some((word) => /^(?:call|execute|exec|run|invoke|use|dispatch)$/.test(word))
  )
}

const objectOf = (value: Json | undefined): JsonObject | undefined => {
  if (isObject(value)) return value
  if (typeof value !== 'string' || value.length > 65_536) return undefined
  try {
    const read = JSON.parse(value) as Json
    return isObject(read) ? read : undefined
  } catch {
    return undefined
  }
}

/** The call of another tool that a call hands on. */
export const handedOn = (
  tool: ToolRef,
  input: JsonObject,
): { readonly tool: ToolRef; readonly input: JsonObject } | undefined => {
  if (!handsOn(tool)) return undefined
  const entries = Object.entries(input)
  const name = entries.find(([member, value]) => NAME.test(member) && typeof value === 'string')?.[1]
  const given = objectOf(entries.find(([member]) => INPUT.test(member))?.[1])
  return typeof name === 'string' && given !== undefined ? { tool: { name }, input: given } : undefined
}
