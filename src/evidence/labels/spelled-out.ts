import type { Says } from './asked-texts.ts'

/** Commands that a person wrote out, found again in a line that runs later: by its tokens, each with the next. */

/** Messages about what runs later, and tokens of one that are read. */
const RUNS_LATER = /hook|cron|-(?:commit|push|merge|rebase|checkout|msg|receive|update|rewrite)(?!\p{L})/iu
const MOST_TOKENS = 64

/** Signs around a token of a sentence. */
const FRONT = /^["'`(“„«]{1,4}/
const BACK = /["'`),.;:!?”“»]{1,4}$/
const MARK = '>'

const tokensOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

const plain = (token: string): string => token.replace(FRONT, '').replace(BACK, '') || token

const pairsOf = (tokens: readonly string[]): readonly string[] =>
  tokens.slice(1).map((token, at) => `${MARK}${tokens[at]} ${token}`)

/**
 * What a message spells out, as words of it.
 * @param isTimed whether it is about set times
 */
export const spelledIn = (request: string, isTimed: boolean): readonly string[] => {
  if (!isTimed && !RUNS_LATER.test(request)) return []
  const tokens = tokensOf(request)
  return tokens.length > MOST_TOKENS ? [] : pairsOf(tokens.map(plain))
}

/** In front of a program without arguments, or behind it. */
const RUNS =
  'run runs running execute executes call calls start starts führe führt ausführt startet lance exécute ejecuta ejecute esegui esegue'.split(
    ' ',
  )

/** Lines and commands of a script that run nothing of their own. */
const FRAME =
  /^\s*(?:#(?!!).*|#!\s?\/(?:usr\/)?bin\/(?:env )?(?:ba|z|da)?sh|set -[a-z]{1,4}(?: pipefail)?|exit [0-9]|exec)?\s*$/
const OPERATOR = /&&|\|\||[;&|]/

const wordsOf = (command: string): readonly (readonly string[])[] => {
  const [first = '', ...others] = tokensOf(command.replace(/^\s*exec\s/, ''))
  return others.length === 0
    ? [RUNS.flatMap((verb) => [`${MARK}${verb} ${first}`, `${MARK}${first} ${verb}`])]
    : pairsOf([first, ...others]).map((pair) => [pair])
}

/** Whether one message has each command of some lines, token by token, and a word of another group. */
export const isSpelledOut = (lines: readonly string[], group: readonly string[], says: Says): boolean => {
  const commands = lines
    .flatMap((line) => (FRAME.test(line) ? [] : line.split(OPERATOR)))
    .filter((command) => !FRAME.test(command))
  return commands.length > 0 && says([group, ...commands.flatMap(wordsOf)])
}
