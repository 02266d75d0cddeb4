import { isObject } from '../../../../protocol/json.ts'
import type { CodePiece } from '../../engine/call.ts'

const MOST_CELLS = 200

const sourceOf = (cell: unknown): string => {
  const source: unknown = isObject(cell) && cell['cell_type'] === 'code' ? cell['source'] : undefined
  return typeof source === 'string'
    ? source
    : Array.isArray(source)
      ? source.filter((one) => typeof one === 'string').join('')
      : ''
}

/** What a cell runs: a shell's where its first line says so, else Python with lines of shell in it. */
const piecesIn = (source: string): readonly CodePiece[] => {
  if (/^%%(?:bash|sh|script|system|!)/.test(source)) return [{ as: 'shell', code: source.replace(/^[^\n]*\n?/, '') }]
  const lines = source.split('\n')
  const shell = lines.flatMap((line) => /^\s*(?:!+|%(?:system|sx|sc|pip|conda)\b)\s*(.+)$/.exec(line)?.[1] ?? [])
  const python = lines.filter((line) => !/^\s*[!%?]/.test(line)).join('\n')
  return [
    ...shell.map((code): CodePiece => ({ as: 'shell', code })),
    ...(python.trim() === '' ? [] : [{ as: 'python' as const, code: python }]),
  ]
}

/** The cells of a notebook that are run. */
export const notebookCells = (text: string): readonly CodePiece[] => {
  try {
    const parsed: unknown = JSON.parse(text)
    const cells: unknown = isObject(parsed) ? parsed['cells'] : undefined
    return Array.isArray(cells) ? cells.slice(0, MOST_CELLS).flatMap((cell) => piecesIn(sourceOf(cell))) : []
  } catch {
    return []
  }
}
