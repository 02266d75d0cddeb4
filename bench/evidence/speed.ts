import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createDetectors } from '../../src/assembly/detection/detectors.ts'
import { loadConfig } from '../../src/config/load.ts'
import { analyseEffects } from '../../src/evidence/effects/analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from '../../src/evidence/effects/engine/analysis.ts'
import { createGivenWorld } from '../../src/evidence/effects/world/given-world.ts'
import { createScanner } from '../../src/evidence/detectors/scanner.ts'
import { toStep } from '../../src/policy/case.ts'
import { quantile, rounded } from '../bench.ts'

type Figures = Record<string, number>

const TEN_KB = 10_000
/** Characters of the texts over which the cost is plotted, from 1 kB to 10 MB. */
const SIZES = [
  1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000,
] as const
const WARM = 200
const SAMPLES = 200
/** Characters scanned at each size: the same text, whole or in pieces, so that only the size differs. */
const SCANNED_A_SIZE = 10_000_000
/** Pieces of a size at most, spread over the text; of short ones ten times as many. */
const PIECES = 40
const SHORT = 10_000

/** Pages and sources of this project: text and code as agents meet them, there in every checkout. */
const someText = (): string => {
  const root = join(import.meta.dirname, '../..')
  const files = ['docs', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:md|ts)$/.test(name) && !name.endsWith('.test.ts'))
      .toSorted()
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  )
  return files.join('\n')
}

/** `size` characters from `from` on, going round; a text of its own, so that no scan pays for putting it together. */
const textOf = (source: string, from: number, size: number): string => {
  const start = from % source.length
  const rest = source.slice(start)
  const text = rest.length >= size ? rest : rest + source.repeat(Math.ceil(size / source.length))
  return Buffer.from(text.slice(0, size)).toString('utf8')
}

const timed = (work: () => unknown): number => {
  const began = performance.now()
  work()
  return performance.now() - began
}

/** Milliseconds of processor time: others at work on the machine do not count, the collector of our own does. */
const worked = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const measureDetectors = (source: string): Figures => {
  const detectors = createDetectors(loadConfig([]))
  const scanner = createScanner({ detectors, cacheEntries: 0, budgetBytes: 32 << 20 })
  const scan = (from: number, size: number, measure = timed): number => {
    const text = textOf(source, from, size)
    return measure(() => scanner.scanText(text, 'tool'))
  }
  const tens = Array.from({ length: WARM + SAMPLES }, (_, n) => scan(n * TEN_KB, TEN_KB)).slice(WARM)
  const figures: Figures = { 'speed.p50_ms_10kb': rounded(quantile(tens, 0.5)) }
  for (const detector of detectors) {
    const times = Array.from({ length: WARM + SAMPLES }, (_, n) => {
      const text = textOf(source, n * TEN_KB, TEN_KB)
      return timed(() => detector.detect(text, 'tool'))
    }).slice(WARM)
    figures[`speed.${detector.id}_p50_ms_10kb`] = rounded(quantile(times, 0.5))
  }
  const perTenKb = SIZES.map((size) => {
    const count = Math.min(size < SHORT ? PIECES * 10 : PIECES, SCANNED_A_SIZE / size)
    const apart = SCANNED_A_SIZE / count
    const times = Array.from({ length: count }, (_, n) => scan(Math.floor(n * apart), size, worked))
    return (times.reduce((sum, time) => sum + time, 0) / (count * size)) * TEN_KB
  })
  for (const [index, cost] of perTenKb.entries())
    figures[`speed.ms_a_10kb_at_${(SIZES[index] ?? 0) / 1_000}kb`] = rounded(cost)
  // From 1 MB on: in shorter pieces, those without a finding are spared the second look at what is left after masking.
  figures['speed.ratio_linear'] = rounded(
    (perTenKb.at(-1) ?? Number.NaN) / (perTenKb[SIZES.indexOf(1_000_000)] ?? Number.NaN),
  )
  return figures
}

/** Two hundred characters, no two alike, so that nothing is remembered. */
const pipelineOf = (n: number): string =>
  `find src/part${n} -name '*.ts' -not -path './node_modules/*' -print0 | xargs -0 grep -n "TODO ${n}" | sort -t: -k1,1 | ` +
  `awk -F: '{ print $1 ":" $2 }' | uniq -c | sort -rn | head -${n % 90} > /tmp/report-${n}.txt`

const measurePipeline = (): Figures => {
  const options = {
    world: createGivenWorld(),
    guard: { paths: ['/home/user/.config/sallyport'], pids: [1], addresses: ['127.0.0.1:4775'] },
    budget: DEFAULT_EFFECT_BUDGET,
  }
  const times = Array.from({ length: 1_500 }, (_, n) => {
    const step = toStep({ command: pipelineOf(n) })
    return timed(() => analyseEffects(step, options))
  }).slice(500)
  return { 'speed.pipeline_p50_ms': rounded(quantile(times, 0.5)) }
}

/** Figures of detectors over ordinary texts alone. */
export const measureDetectorSpeed = (): Figures => measureDetectors(someText())

/** Milliseconds for a text of each size, of those figures. */
export const costBySize = (figures: Figures): readonly { readonly size: number; readonly ms: number }[] =>
  SIZES.map((size) => ({
    size,
    ms: ((figures[`speed.ms_a_10kb_at_${size / 1_000}kb`] ?? Number.NaN) * size) / TEN_KB,
  }))

/** What evidence costs: all detectors over 10 kB, over ever longer texts, and a pipeline to its effects. */
export const measureSpeed = (): Figures => ({ ...measureDetectorSpeed(), ...measurePipeline() })
