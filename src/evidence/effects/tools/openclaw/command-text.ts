import type { Json } from '../../../../protocol/json.ts'

const quoted = (word: string): string => (/^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** A command given as a list of words, as one line of a shell. */
export const commandText = (words: readonly Json[]): string =>
  words.map((word) => quoted(typeof word === 'string' ? word : JSON.stringify(word))).join(' ')
