import { createDetectors } from '../../src/assembly/detection/detectors.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createScanner } from '../../src/evidence/detectors/scanner.ts'
import type { Scanner } from '../../src/evidence/detectors/scanner.ts'
import type { Tally } from './tally.ts'
import { share } from './tally.ts'
import { COLUMN_VALUES, HARMLESS_SENTENCES, password, SENTENCES, tableOf } from './readings/announced.ts'
import type { Carrier } from './readings/carriers.ts'
import { CARRIERS, TABLES } from './readings/carriers.ts'
import { measureSplit } from './readings/split.ts'
import type { Placed, Transformation } from './readings/transformations.ts'
import { TRANSFORMATIONS } from './readings/transformations.ts'
import type { ValueKind } from './readings/values.ts'
import { VALUE_KINDS } from './readings/values.ts'

type Figures = Record<string, number>
type Say = (line: string) => void

/** Values of each kind. */
const SEEDS = [3, 8, 14, 21, 27, 35] as const
/** Part of a value that has to be covered: what is left of it after masking is of no use to anybody. */
const COVERED = 0.9

const NO_FORM = '…'

/** Whether findings of a category cover a stretch of a text, or nearly all of it. */
const covers = (scanner: Scanner, { text, start, end }: Placed, category: string): boolean => {
  const found = scanner.scanText(text, 'tool').matches.filter((match) => match.category === category)
  let covered = 0
  let from = start
  for (const match of found.toSorted((a, b) => a.start - b.start)) {
    const to = Math.min(end, match.end)
    covered += Math.max(0, to - Math.max(from, match.start))
    from = Math.max(from, to)
  }
  return covered >= (end - start) * COVERED
}

const finds = (scanner: Scanner, text: string): boolean =>
  scanner.scanText(text, 'tool').matches.some(({ category }) => category === 'secret' || category === 'pii')

const place = (
  { value, text, mark = '', announced }: Transformation,
  carrier: Carrier,
  kind: ValueKind,
  plain: string,
  seed: number,
): Placed => {
  const [before, behind] = carrier.around(kind)
  const said = announced === undefined ? before : `${announced}: ${before}`
  const written = (carrier.written ?? ((one: string) => one))(value === undefined ? plain : value(plain, seed))
  if (text === undefined)
    return { text: said + written + behind, start: said.length, end: said.length + written.length }
  // A text that is turned round has its end first.
  const isTurned = text('ab') === 'ba'
  const [first, last] = isTurned ? [text(behind), text(said)] : [mark + text(said), text(behind)]
  const shown = text(written)
  return { text: first + shown + last, start: first.length, end: first.length + shown.length }
}

const PLAIN: Transformation = { name: 'plain', value: (value) => value }

/** Shares found of a transformation, over kinds of values, carriers and seeds; only of what is found when it is plain. */
const measureOne = (scanner: Scanner, one: Transformation, say: Say): Figures => {
  const tally: Tally = { hit: 0, missed: 0, false: 0 }
  let wrong = 0
  for (const kind of VALUE_KINDS)
    for (const carrier of CARRIERS)
      for (const seed of SEEDS) {
        const value = kind.make(seed)
        if (one.applies?.(value) === false || (one.inWords === true && carrier.name === 'alone')) continue
        if (!covers(scanner, place(PLAIN, carrier, kind, value, seed), kind.category)) continue
        if (covers(scanner, place(one, carrier, kind, value, seed), kind.category)) tally.hit++
        else {
          tally.missed++
          say(`readings.${one.name} missed ${kind.name} ${carrier.name} ${seed}`)
        }
        // Behind a label half a key may well be a secret: that is what it is called.
        if (carrier.labelled === true) continue
        const near = kind.nearMiss(seed)
        if (finds(scanner, place(PLAIN, carrier, kind, near, seed).text)) continue
        wrong++
        if (!finds(scanner, place(one, carrier, kind, near, seed).text)) continue
        tally.false++
        say(`readings.${one.name} false ${kind.name} ${carrier.name} ${seed}`)
      }
  return {
    [`readings.${one.name}_found`]: share(tally.hit, tally.hit + tally.missed),
    [`readings.${one.name}_false`]: share(tally.false, wrong),
  }
}

const measureTables = (scanner: Scanner, say: Say): Figures => {
  const figures: Figures = {}
  for (const carrier of TABLES) {
    let [hit, all] = [0, 0]
    for (const kind of VALUE_KINDS)
      for (const seed of SEEDS) {
        all++
        if (covers(scanner, place(PLAIN, carrier, kind, kind.make(seed), seed), kind.category)) hit++
        else say(`readings.${carrier.name} missed ${kind.name} ${seed}`)
      }
    figures[`readings.${carrier.name}_found`] = share(hit, all)
  }
  return figures
}

const measureColumns = (scanner: Scanner, say: Say): Figures => {
  let [hit, all] = [0, 0]
  for (const { column, category, make } of COLUMN_VALUES)
    for (const delimiter of [',', '\t', ';'])
      for (const at of [0, 1, 2]) {
        const values = SEEDS.map(make)
        const text = tableOf(column, values, delimiter, at)
        for (const value of values) {
          all++
          const start = text.indexOf(value)
          if (covers(scanner, { text, start, end: start + value.length }, category)) hit++
          else say(`readings.columns missed ${column} ${JSON.stringify(delimiter)} ${at}`)
        }
      }
  return { 'readings.columns_found': share(hit, all) }
}

const measureSentences = (scanner: Scanner, say: Say): Figures => {
  let [hit, all, wrong] = [0, 0, 0]
  for (const [language, sentence] of SENTENCES)
    for (const seed of SEEDS) {
      const value = password(seed)
      const start = sentence.indexOf(NO_FORM)
      all++
      if (covers(scanner, { text: sentence.replace(NO_FORM, value), start, end: start + value.length }, 'secret')) hit++
      else say(`readings.passwords missed ${language} ${sentence}`)
    }
  for (const sentence of HARMLESS_SENTENCES) {
    if (!finds(scanner, sentence)) continue
    wrong++
    say(`readings.passwords false ${sentence}`)
  }
  return {
    'readings.passwords_found': share(hit, all),
    'readings.passwords_false': share(wrong, HARMLESS_SENTENCES.length),
  }
}

/**
 * Known values, written so that a filter may not read them and a model does: for each transformation the share that is
 * found, and the share of near misses (a wrong check digit, half a key) that is taken for a value.
 */
export const measureReadings = async (say: Say): Promise<Figures> => {
  const detectors = createDetectors(loadConfig([]))
  const scanner = createScanner({ detectors, cacheEntries: 0 })
  const figures: Figures = {}
  for (const one of TRANSFORMATIONS) Object.assign(figures, measureOne(scanner, one, say))
  Object.assign(figures, measureTables(scanner, say), measureColumns(scanner, say), measureSentences(scanner, say))
  return { ...figures, ...(await measureSplit(say)) }
}

/** Of each transformation: what has to be found, and how many near misses may be taken for a value. */
export const READING_GOALS = Object.freeze({ found: 0.97, false: 0.01 })
