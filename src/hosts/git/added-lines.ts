/** The text that a change adds to one file: its new lines joined, and their positions in the file. */
export interface AddedText {
  readonly path: string
  /** Added lines, each with its line feed. */
  readonly text: string
  /** Line number in the new file, from 1, of each added line. */
  readonly lines: readonly number[]
}

/** The file of the diff that is being read. */
interface OpenFile {
  readonly path: string
  readonly texts: string[]
  readonly lines: number[]
  /** Characters so far, while they decide whether it is binary. */
  length: number
  binary: boolean
}

/** Git treats a file with a NUL in its first 8,000 bytes as binary. */
const SHORTEST_FILE = 8_000

/** Adds a line; nothing of a binary file, such as an image, is kept. */
const add = (file: OpenFile, text: string, at: number): void => {
  if (file.binary) return
  // Only the beginning of the file decides: a NUL added further down must not hide the rest.
  const isBeginning = file.length < SHORTEST_FILE && at === file.lines.length + 1
  if (isBeginning && text.slice(0, SHORTEST_FILE - file.length).includes('\0')) {
    file.binary = true
    file.texts.length = 0
    file.lines.length = 0
    return
  }
  file.length += text.length + 1
  file.texts.push(`${text}\n`)
  file.lines.push(at)
}

/** Lines left in the current hunk, and the number of the next one in the new file. */
interface Hunk {
  old: number
  fresh: number
  at: number
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const NEW_FILE = '+++ '
const PREFIX = 'b/'

/** Git quotes names with odd characters; the escapes stay, since a name is only displayed. */
const pathOf = (name: string): string => {
  const bare = name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name.replace(/\t$/, '')
  return bare.startsWith(PREFIX) ? bare.slice(PREFIX.length) : bare
}

const closed = ({ path, texts, lines }: OpenFile): AddedText => ({ path, text: texts.join(''), lines })

/** Reads one line of a hunk; a line without a sign (`\ No newline at end of file`) is ignored. */
const takeLine = (line: string, hunk: Hunk, file: OpenFile | undefined): void => {
  if (line.startsWith('+') && file !== undefined) add(file, line.slice(1), hunk.at)
  if (line.startsWith('+') || line.startsWith(' ')) {
    hunk.fresh--
    hunk.at++
  }
  if (line.startsWith('-') || line.startsWith(' ')) hunk.old--
}

/** Reads a unified diff line by line and yields the added lines of each file, one file in memory at a time. */
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
      file = { path: pathOf(line.slice(NEW_FILE.length)), texts: [], lines: [], length: 0, binary: false }
    }
  }
  if (file !== undefined) yield closed(file)
}
