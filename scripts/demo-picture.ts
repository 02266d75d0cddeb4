/** The picture of the README: what `sallyport demo` prints, as a terminal in SVG. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const root = join(import.meta.dirname, '..')

/** Of a line of the demo: its decision and event, or the reason below them. */
const LINE = /^(?:(allow|modify|ask|defer|deny) +(\w+) +(.*)|( {8})(\S.*))$/

const COLORS: Readonly<Record<string, string>> = {
  allow: '#7ee787',
  modify: '#e3b341',
  ask: '#e3b341',
  defer: '#e3b341',
  deny: '#ff7b72',
}

/** Characters of a reason that fit into the picture in the widest common font. */
const REASON_WIDTH = 93
const FONT_SIZE = 13
const CHARACTER_WIDTH = 7.83
const LINE_HEIGHT = 19
const MARGIN = 20
const TOP = 62
const EVENT_COLUMN = 8
const SUBJECT_COLUMN = 25
const WIDTH = 840

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const wrapped = (text: string, width: number): readonly string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** As few lines as fit, of about the same length. */
const balanced = (text: string): readonly string[] => {
  const { length } = wrapped(text, REASON_WIDTH)
  const widths = Array.from({ length: REASON_WIDTH }, (_, at) => at + 1)
  const width = widths.find((one) => wrapped(text, one).length === length) ?? REASON_WIDTH
  return wrapped(text, width)
}

interface Piece {
  readonly column: number
  readonly fill: string
  readonly text: string
}

const piecesOf = (line: string): readonly (readonly Piece[])[] => {
  const [, decision, event = '', subject = '', , reason] = LINE.exec(line) ?? []
  if (reason !== undefined) return balanced(reason).map((text) => [{ column: EVENT_COLUMN, fill: '#9da7b3', text }])
  if (decision === undefined) return []
  return [
    [
      { column: 0, fill: COLORS[decision] ?? '#e6edf3', text: decision },
      { column: EVENT_COLUMN, fill: '#9da7b3', text: event },
      ...(subject === '' ? [] : [{ column: SUBJECT_COLUMN, fill: '#e6edf3', text: subject }]),
    ],
  ]
}

/** Runs the demo in an empty home, so that the picture is the same everywhere. */
const playedDemo = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-picture-'))
  try {
    return execFileSync(process.execPath, [join(root, 'src/cli/main.ts'), 'demo', '--exit'], {
      encoding: 'utf8',
      env: { HOME: '/home/dev', PATH: process.env['PATH'], TMPDIR: folder },
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The demo as a picture; throws when the demo does not print what the picture shows. */
export const demoPicture = (): string => {
  const rows = playedDemo().split('\n').flatMap(piecesOf)
  if (!rows.some(([piece]) => piece?.text === 'deny')) throw new Error('the demo printed no denial')
  const height = TOP + rows.length * LINE_HEIGHT + MARGIN
  const texts = rows.map((pieces, row) => {
    const y = TOP + row * LINE_HEIGHT
    const spans = pieces.map(
      ({ column, fill, text }) =>
        `<tspan x="${(MARGIN + column * CHARACTER_WIDTH).toFixed(1)}" fill="${fill}">${escaped(text)}</tspan>`,
    )
    return `  <text y="${y}">${spans.join('')}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-size="${FONT_SIZE}"`,
    '  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace">',
    '  <title>Decisions of the guard on a recorded Claude Code session</title>',
    `  <rect width="${WIDTH}" height="${height}" rx="10" fill="#0d1117" stroke="#30363d"/>`,
    '  <circle cx="22" cy="20" r="6" fill="#ff5f57"/>',
    '  <circle cx="42" cy="20" r="6" fill="#febc2e"/>',
    '  <circle cx="62" cy="20" r="6" fill="#28c840"/>',
    `  <text x="${WIDTH / 2}" y="25" fill="#9da7b3" text-anchor="middle">npm start</text>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n')
}
