/** One point of the plot: characters of a text, and milliseconds all detectors take for it. */
export interface Point {
  readonly size: number
  readonly ms: number
}

const WIDTH = 560
const HEIGHT = 320
const LEFT = 64
const BOTTOM = 272
const DECADE_X = 116
const DECADE_Y = 50
/** Lower left corner: 1 kB and 0.1 ms. */
const [FIRST_SIZE, FIRST_MS] = [1_000, 0.1]

const xOf = (size: number): number => Math.round(LEFT + Math.log10(size / FIRST_SIZE) * DECADE_X)
const yOf = (ms: number): number => Math.round(BOTTOM - Math.log10(ms / FIRST_MS) * DECADE_Y)

const text = (x: number, y: number, anchor: string, words: string): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`

const line = (x1: number, y1: number, x2: number, y2: number, style: string): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" ${style}/>`

/** The cost of all detectors against the size of a text, both by powers of ten; a straight line upwards is linear. */
export const plotCost = (points: readonly Point[]): string => {
  const sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
  const times = [0.1, 1, 10, 100, 1_000, 10_000]
  const grid = 'stroke="#8884" stroke-width="1"'
  const middle = points[Math.floor(points.length / 2)] ?? { size: 1, ms: 1 }
  const linear = (size: number): number => (middle.ms / middle.size) * size
  const ends = [sizes[0] ?? 1, sizes.at(-1) ?? 1] as const
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#777">`,
    '<title>Milliseconds of processor time for all detectors, by the size of the text</title>',
    ...sizes.map((size) => line(xOf(size), yOf(0.1), xOf(size), yOf(10_000), grid)),
    ...times.map((ms) => line(xOf(ends[0]), yOf(ms), xOf(ends[1]), yOf(ms), grid)),
    ...sizes.map((size) =>
      text(xOf(size), BOTTOM + 18, 'middle', size < 1e6 ? `${size / 1e3} kB` : `${size / 1e6} MB`),
    ),
    ...times.map((ms) => text(LEFT - 8, yOf(ms) + 4, 'end', ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`)),
    text(xOf(ends[1]), BOTTOM + 38, 'end', 'size of the text; dashed: linear'),
    line(
      xOf(ends[0]),
      yOf(linear(ends[0])),
      xOf(ends[1]),
      yOf(linear(ends[1])),
      'stroke="#999" stroke-dasharray="4 4"',
    ),
    `<polyline points="${points.map(({ size, ms }) => `${xOf(size)},${yOf(ms)}`).join(' ')}" fill="none" stroke="#2a7de1" stroke-width="2"/>`,
    ...points.map(({ size, ms }) => `<circle cx="${xOf(size)}" cy="${yOf(ms)}" r="3" fill="#2a7de1"/>`),
    '</svg>',
    '',
  ].join('\n')
}
