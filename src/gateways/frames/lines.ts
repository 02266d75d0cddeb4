import { Buffer } from 'node:buffer'

/** A line of a stream, without its end, or one that cannot be a message. */
export type Line =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  /** `edges`: its first and last bytes, in which its id can be found. */
  | { readonly kind: 'unusable'; readonly why: string; readonly edges: Buffer }

/** Takes a stream apart into lines. */
export interface LineReader {
  /** The lines that a chunk completes. */
  take(chunk: Buffer): readonly Line[]
}

const NEWLINE = 10
const RETURN = 13
const EDGE = 4_096

/** The first and last bytes. */
export const edgesOf = (bytes: Buffer): Buffer =>
  bytes.length <= 2 * EDGE ? bytes : Buffer.concat([bytes.subarray(0, EDGE), bytes.subarray(-EDGE)])

/**
 * A carriage return between the tokens of JSON is white space to us and the end of a line to many readers (Python's
 * text streams, Java's `readLine`, Node's `readline`), who would take the parts for messages that nobody decided.
 */
const isSeveralLines = (bytes: Buffer): boolean => {
  const at = bytes.indexOf(RETURN)
  return at !== -1 && at !== bytes.length - 1
}

/** What is kept of a line that is not complete yet. */
interface Rest {
  readonly parts: Buffer[]
  size: number
}

/**
 * Creates a reader of lines with at most `most` bytes. A longer line is dropped while it arrives, so that it takes no
 * memory. What follows the last line break is half a message, and is never returned.
 */
export const createLineReader = (most: number): LineReader => {
  let rest: Rest = { parts: [], size: 0 }
  /** Adds to the line. Of one that is too long, the first part and the newest bytes are kept. */
  const add = (part: Buffer): void => {
    rest.size += part.length
    rest.parts.push(part)
    if (rest.size <= most) return
    rest.parts.splice(0, rest.parts.length, edgesOf(Buffer.concat(rest.parts)))
  }
  const completed = (part: Buffer): Line => {
    add(part)
    const { parts, size } = rest
    rest = { parts: [], size: 0 }
    const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
    if (size > most) return { kind: 'unusable', why: 'it is too long', edges: edgesOf(bytes) }
    if (isSeveralLines(bytes))
      return { kind: 'unusable', why: 'it has a carriage return inside', edges: edgesOf(bytes) }
    return { kind: 'line', bytes }
  }
  return Object.freeze<LineReader>({
    take(chunk) {
      const lines: Line[] = []
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        lines.push(completed(chunk.subarray(from, at)))
        from = at + 1
      }
      if (from < chunk.length) add(chunk.subarray(from))
      return lines
    },
  })
}
