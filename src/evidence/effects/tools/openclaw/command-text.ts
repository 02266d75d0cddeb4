import { shellWord } from '../../../../protocol/shell-word.ts'
import type { Json } from '../../../../protocol/json.ts'

/** A command given as a list of words, as one line of a shell. */
export const commandText = (words: readonly Json[]): string =>
  words.map((word) => shellWord(typeof word === 'string' ? word : JSON.stringify(word))).join(' ')
