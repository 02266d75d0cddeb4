/** Characters that take two columns of a terminal: East Asian ones and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

const columnsOf = (char: string): number => (/^\p{M}$/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1)

/** Columns a text takes. */
export const widthOf = (text: string): number => Array.from(text, columnsOf).reduce((sum, columns) => sum + columns, 0)

/** The text cut into pieces that take no more than `width` columns each; at least one piece. */
export const wrapped = (text: string, width: number): readonly string[] => {
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const char of text) {
    const columns = columnsOf(char)
    if (used + columns > width && piece !== '') {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += char
    used += columns
  }
  return [...pieces, piece]
}

/** The same, split between words where possible. */
export const wrappedWords = (text: string, width: number): readonly string[] => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(...wrapped(word, width))
  }
  return lines
}

/** Most characters per column; a text with more counts as too long. */
const PER_COLUMN = 4

/** The text if it fits into `width` columns, otherwise its beginning with an ellipsis. */
export const fitToWidth = (text: string, width: number): string => {
  const head = text.length <= width * PER_COLUMN ? text : text.slice(0, width * PER_COLUMN)
  if (head === text && widthOf(text) <= width) return text
  return `${wrapped(head, Math.max(1, width - 1))[0] ?? ''}…`
}
