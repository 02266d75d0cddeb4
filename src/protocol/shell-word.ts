/** A text as one word of a POSIX shell, in single quotes. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A text as one word of a POSIX shell, in quotes only where it needs them. */
export const shellWord = (text: string): string => (/^[\w./:@%+,=-]+$/.test(text) ? text : singleQuoted(text))
