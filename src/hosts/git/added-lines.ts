/** What a change would add to one file: its new lines joined, and where each stands in the file. */
export interface AddedText {
  readonly path: string
  /** Added lines, each with its line feed. */
  readonly text: string
  /** Line number in the new file, from 1, of each added line. */
  readonly lines: readonly number[]
}

/** A file of the diff that is being read. */
interface OpenFile {
  readonly path: string
  readonly texts: string[]
  readonly lines: number[]
}

/** Lines still to come in the hunk that is being read, and the number of the next one in the new file. */
interface Hunk {
  old: number
  fresh: number
  at: number
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const NEW_FILE = '+++ '
const PREFIX = 'b/'

/** Git puts names with odd characters in quotes; the escapes stay, since a name is only shown. */
const pathOf = (name: string): string => {
  const bare = name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name.replace(/\t$/, '')
  return bare.startsWith(PREFIX) ? bare.slice(PREFIX.length) : bare
}

const closed = ({ path, texts, lines }: OpenFile): AddedText => ({ path, text: texts.join(''), lines })

/** Takes one line of a hunk; what begins with none of the signs (`\ No newline at end of file`) counts for nothing. */
const takeLine = (line: string, hunk: Hunk, file: OpenFile | undefined): void => {
  if (line.startsWith('+')) {
    file?.texts.push(`${line.slice(1)}\n`)
    file?.lines.push(hunk.at)
  }
  if (line.startsWith('+') || line.startsWith(' ')) {
    hunk.fresh--
    hunk.at++
  }
  if (line.startsWith('-') || line.startsWith(' ')) hunk.old--
}

/** Reads a unified diff line by line and gives the added lines of each file. Holds one file at a time. */
export const addedLines = async function* (diff: AsyncIterable<string>): AsyncGenerator<AddedText> {
  let file: OpenFile | undefined
  let hunk: Hunk = { old: 0, fresh: 0, at: 0 }
  for await (const line of diff) {
    if (hunk.old > 0 || hunk.fresh > 0) {
      takeLine(line, hunk, file)
      continue
    }
    const header = HUNK.exec(line)
    if (header !== null) hunk = { old: Number(header[1] ?? 1), at: Number(header[2]), fresh: Number(header[3] ?? 1) }
    else if (line.startsWith(NEW_FILE)) {
      if (file !== undefined) yield closed(file)
      file = { path: pathOf(line.slice(NEW_FILE.length)), texts: [], lines: [] }
    }
  }
  if (file !== undefined) yield closed(file)
}
