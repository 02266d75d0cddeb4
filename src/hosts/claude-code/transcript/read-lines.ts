import { Buffer } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'

/** A line without its end. `bytes` is absent for a line that is too long to read. */
export interface Line {
  readonly bytes: Buffer | undefined
  /** Bytes from the start of the file; `end` is after the line's end. */
  readonly start: number
  readonly end: number
}

/** Bytes that are read and scanned before other work gets a turn. */
const CHUNK = 256 * 1024
const NEWLINE = 0x0a

/** Reads the complete lines between two positions, some at a time; text after the last line end is not a line yet. */
export const readLines = async function* (
  file: Pick<FileHandle, 'read'>,
  from: number,
  to: number,
  longest: number,
): AsyncGenerator<readonly Line[]> {
  let parts: Buffer[] = []
  let length = 0
  let start = from
  const ended = (last: Buffer, end: number): Line => {
    const whole = length + last.length
    const bytes = whole > longest ? undefined : parts.length === 0 ? last : Buffer.concat([...parts, last], whole)
    const line = { bytes, start, end }
    parts = []
    length = 0
    start = end
    return line
  }
  for (let at = from; at < to;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, to - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) return
    const read = chunk.subarray(0, bytesRead)
    const lines: Line[] = []
    let begin = 0
    for (let next = read.indexOf(NEWLINE); next !== -1; next = read.indexOf(NEWLINE, begin)) {
      lines.push(ended(read.subarray(begin, next), at + next + 1))
      begin = next + 1
    }
    const rest = read.subarray(begin)
    length += rest.length
    // Nothing is stored of a line that is too long.
    if (length > longest) parts = []
    else if (rest.length > 0) parts.push(rest)
    at += bytesRead
    if (lines.length > 0) yield lines
  }
}
