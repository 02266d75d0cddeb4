/** One file that a patch of `apply_patch` touches; `lines` are what it puts there. */
export interface PatchPart {
  readonly kind: 'add' | 'update' | 'delete' | 'move'
  readonly path: string
  readonly lines: readonly string[]
}

const HEADER = /^\*\*\* (Add File|Delete File|Update File|Move to): (.*)$/

const KINDS = { 'Add File': 'add', 'Delete File': 'delete', 'Update File': 'update', 'Move to': 'move' } as const

/** Where a line may open another part: after an added file anywhere, inside an update only unindented. */
const headerIn = (line: string, inUpdate: boolean): RegExpExecArray | null => {
  if (inUpdate && !line.startsWith('***')) return null
  return HEADER.exec(line.trim())
}

/**
 * The parts of a patch, by the grammar of OpenClaw's own reader (dist/core-coding-tools, `parsePatchText`). Lines that
 * reader would refuse are passed over: a patch it refuses does nothing.
 */
export const patchParts = (patch: string): readonly PatchPart[] => {
  const parts: { kind: PatchPart['kind']; path: string; lines: string[] }[] = []
  for (const line of patch.split(/\r?\n/)) {
    const last = parts.at(-1)
    const inUpdate = last?.kind === 'update' || last?.kind === 'move'
    const isAdded = line.startsWith('+') && last !== undefined
    const header = isAdded ? null : headerIn(line, inUpdate)
    if (header !== null) {
      const [, word, path = ''] = header
      parts.push({ kind: KINDS[word as keyof typeof KINDS], path, lines: [] })
    } else if (isAdded) last.lines.push(line.slice(1))
  }
  return parts
}
