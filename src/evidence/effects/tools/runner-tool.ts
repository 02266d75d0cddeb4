import { type JsonObject, isObject } from '../../../protocol/json.ts'
import type { ToolRef } from '../../../protocol/step.ts'
import { CODE, doingOf, wordsOf } from './tool-words.ts'

/** Servers that are a shell, a terminal, a keyboard or an interpreter: they run their input. */
const RUNNING_SERVER =
  /(?:^|[_-])(?:shell|bash|zsh|sh|terminals?|term|tty|pty|tmux|console|exec|executor|command(?:er|s|-?line)?|cmd|powershell|pwsh|ssh|repl|jupyter|ipython|notebook|colab|sandbox|code[_-]?(?:runner|interpreter|exec\w*)|applescript|osascript|computer(?:[_-]use)?|desktop|keyboard|node|deno|cron|crontab|scheduler)(?:$|[_-])/i
/** Tools whose input runs, by their names. */
const PUTS_IN =
  /(?:^|_)(?:execute|exec|run|eval|evaluate|shell|bash|invoke|spawn|cmd|command|repl|code|send|write|input|type|keys?|keystrokes?|paste|interact|add|insert|update|edit|submit|create|set|schedule|put|call|batch|chain|js|line|start)(?:_|$)/i

/** Tools that run their input, by their own name on any server: `run_command`, `evaluate`, `exec`. */
const runsByName = (words: readonly string[]): boolean => {
  const { doing, verb, objects } = doingOf(words)
  return doing === 'run' && (CODE.has(verb) || objects.length === 0 || objects.some((word) => CODE.has(word)))
}

/** Whether a tool, by its name or its server's, runs texts of any of its arguments. */
export const isRunner = ({ name, server = '' }: ToolRef): boolean => {
  const words = wordsOf(name, server)
  return runsByName(words) || (RUNNING_SERVER.test(server) && PUTS_IN.test(words.join('_')))
}

const REMARK = /^(?:description|title|reason|reasoning|explanation|rationale|summary|comment|note)$/i

/** Members with remarks about a call, next to others that may have its code. */
export const remarksIn = (input: JsonObject): readonly string[] => {
  const members = Object.entries(input).filter(
    ([, value]) => typeof value === 'string' || isObject(value) || Array.isArray(value),
  )
  const remarks = members.filter(([member, value]) => REMARK.test(member) && typeof value === 'string')
  return remarks.length < members.length ? remarks.map(([member]) => member) : []
}
