/** `npm run train`: reads the data, measures with sources left out, trains on all and writes models/injection.bin. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSignFinder } from '../../src/evidence/detectors/injection/find-signs.ts'
import { encodeModel } from '../../src/evidence/detectors/injection/injection-model.ts'
import { INJECTION_RULES } from '../../src/evidence/detectors/injection/injection-rules.ts'
import { probabilityOf, signalsOf } from '../../src/evidence/detectors/injection/probability.ts'
import { calibrate } from './calibrate.ts'
import type { HeldOut } from './calibrate.ts'
import { figuresOf, thresholdTable } from './figures.ts'
import { scoreOf, toExample, train } from './logistic.ts'
import { quantise } from './quantise.ts'
import { FOLDS, SOURCES, readSamples } from './sources.ts'
import { writtenSamples } from './written.ts'

const OPTIONS = { bits: 17, epochs: 4, rate: 0.1, decay: 1e-6 }

const sourceNamed = new Map(SOURCES.map((source) => [source.name, source]))
const { samples, dropped } = readSamples()
const written = writtenSamples()
console.log(
  `${samples.length} texts of ${SOURCES.length} sources (${dropped} repeated ones left out), ${written.length} written`,
)

const examples = samples.map(({ text, attack, source, payload }) =>
  toExample(text, attack, sourceNamed.get(source)?.weight ?? 0, OPTIONS.bits, payload),
)
const extra = written.map(({ text, attack }) => toExample(text, attack, 1, OPTIONS.bits, undefined))
const foldOf = samples.map(({ source }) => sourceNamed.get(source)?.fold)
const countOf = Map.groupBy(samples, ({ source, attack }) => `${source} ${attack}`)
const findSigns = createSignFinder(INJECTION_RULES)

const heldOut: HeldOut[] = []
for (let fold = 0; fold < FOLDS; fold++) {
  const model = train([...examples.filter((_, at) => foldOf[at] !== fold), ...extra], OPTIONS)
  for (const [at, sample] of samples.entries()) {
    const example = examples[at]
    if (foldOf[at] !== fold || example === undefined) continue
    const channel = sourceNamed.get(sample.source)?.channel ?? 'user'
    const size = countOf.get(`${sample.source} ${sample.attack}`)?.length ?? 1
    heldOut[at] = {
      logit: Math.max(-4, scoreOf(example, model)),
      signals: signalsOf(findSigns(sample.text.slice(0, 12_000), channel)),
      attack: sample.attack,
      weight: (sourceNamed.get(sample.source)?.weight ?? 0) / Math.sqrt(size),
    }
  }
}
const calibration = calibrate(heldOut)
console.log('calibration', JSON.stringify(calibration))

const scored = samples.map(({ source, kind, attack }, at) => {
  const { logit, signals } = heldOut[at] ?? { logit: 0, signals: [] }
  let gain = 0
  for (const [family, strength] of signals.entries())
    gain += strength * (Object.values(calibration.signals)[family] ?? 0)
  const score = probabilityOf({ ...calibration, offset: calibration.offset + gain }, logit, [])
  return { source, kind, attack, channel: sourceNamed.get(source)?.channel ?? 'user', score }
})
console.log(figuresOf(scored))
console.log(thresholdTable(scored))

const learnt = quantise(train([...examples, ...extra], OPTIONS))
const version = createHash('sha256').update(learnt.weights).digest('hex').slice(0, 8)
const path = join(import.meta.dirname, '../../models/injection.bin')
mkdirSync(join(path, '..'), { recursive: true })
writeFileSync(path, encodeModel({ version, ...learnt, bits: OPTIONS.bits, calibration }))
console.log(`${path}: version ${version}`)
