import type { Node } from 'jsonc-parser'
import { brokenSettings } from './broken-settings.ts'

/** A place in a text that is read from its beginning to its end. */
export interface TextReader {
  offset: number
  readonly path: string
  readonly text: string
}

/** A node under construction, to which its children can point. */
export type OpenNode = Node & { children: Node[]; length: number }

/** The error for a text that cannot be read from here. */
export const brokenAt = ({ path, text }: TextReader, offset: number, why: string): Error =>
  brokenSettings(path, text, offset, why)

/** The next token that matches a pattern, or nothing. */
export const take = (reader: TextReader, pattern: RegExp): string | undefined => {
  pattern.lastIndex = reader.offset
  const found = pattern.exec(reader.text)?.[0]
  if (found !== undefined) reader.offset += found.length
  return found
}
