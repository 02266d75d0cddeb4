import type { Json } from '../../protocol/json.ts'
import type { Source } from './facts.ts'
import type { NameOrigins } from './name-origins.ts'
import { commandLine } from './names.ts'
import { stringsOf } from './tainted-store.ts'

/** Most evaluated lines of one file. */
const MOST_LINES = 512

/** Path of the mark for a file with a stranger's order: reading it is harmless, running it is not. */
export const orderMark = (path: string): string => `order:${path}`

/** The source of the first command line in a content that a stranger's text contains word for word. */
export const orderIn = (content: Json, nameOrigins: NameOrigins): Source | undefined => {
  for (const line of stringsOf(content).flatMap((text) => text.split('\n', MOST_LINES))) {
    if (line.length < 8 || line.length > 256) continue
    const { origin, source } = nameOrigins.of('command', commandLine(line))
    if (origin === 'untrusted' && source !== undefined) return { label: `a file that the agent wrote from ${source}` }
  }
  return undefined
}
