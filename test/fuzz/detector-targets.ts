import fc from 'fast-check'
import { createDetectors, createMaskingDetectors } from '../../src/assembly/detection/detectors.ts'
import { loadConfig } from '../../src/config/load.ts'
import { applyEdits } from '../../src/core/edits.ts'
import type { Detector } from '../../src/evidence/detectors/detector.ts'
import { unwrap } from '../../src/evidence/detectors/injection/unwrap.ts'
import { createMasker, maskEdits } from '../../src/evidence/detectors/mask.ts'
import { createScanner } from '../../src/evidence/detectors/scanner.ts'
import { createTopicsDetector } from '../../src/evidence/detectors/topics/topics-detector.ts'
import { readHost } from '../../src/evidence/detectors/urls/host.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { CHANNELS } from '../../src/protocol/step.ts'
import { hostileTexts } from './hostile-texts.ts'
import { detects, holds, isSame, liesIn, masks } from './laws.ts'
import { HIDDEN, INJECTIONS, MALICE, NAMES, PERSONAL, RUDE, SECRETS, SHELL, SQL, URLS } from './pieces.ts'
import { target } from './target.ts'
import type { Target } from './target.ts'

/** What each detector looks for, by its id. */
const PIECES: Readonly<Record<string, readonly string[]>> = {
  secrets: SECRETS,
  pii: PERSONAL,
  'hidden-text': HIDDEN,
  urls: URLS,
  injection: INJECTIONS,
  'malicious-code': MALICE,
  toxic: RUDE,
  topics: NAMES,
  sql: SQL,
}

const TOPICS = createTopicsDetector([
  { name: 'invoices', words: ['invoice', 'left-pad'], patterns: ['a+b?', String.raw`\bgit\s+clone\b`] },
])

const channelFor = (text: string) => CHANNELS[text.length % CHANNELS.length] ?? 'tool'

const detectorTargets = (detectors: readonly Detector[]): readonly Target[] =>
  detectors.map((detector) =>
    target(detector.id, hostileTexts(PIECES[detector.id] ?? []), (text) => detects(detector, text, channelFor(text))),
  )

/** JSON whose texts are hostile, with names that tell and names that are special. */
const hostileJson = (pieces: readonly string[]): fc.Arbitrary<JsonObject> => {
  const text = hostileTexts(pieces)
  const name = fc.oneof(fc.constantFrom('password', 'a/b', 'c~d', '', '__proto__', 'constructor', 'ssn', '0'), text)
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 3, arbitrary: text },
      { weight: 1, arbitrary: fc.constantFrom<Json>(null, true, 0, -1.5e300) },
      { weight: 1, arbitrary: fc.array(tie('json'), { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.dictionary(name, tie('json'), { maxKeys: 3 }) },
    ),
  }))
  return fc.noBias(fc.dictionary(name, json, { maxKeys: 3 }))
}

const VALUES = ['secret', 'pii'] as const
const EVERYTHING = ['secret', 'pii', 'hidden_text'] as const

const maskTargets = (all: readonly Detector[]): readonly Target[] => {
  const uncached = { cacheEntries: 0 }
  const masking = createScanner({ detectors: createMaskingDetectors(), ...uncached })
  const whole = createScanner({ detectors: all, ...uncached })
  // Remembers what it has scanned, as that of the trace does: masking looks at the same text several times.
  const remembering = createScanner({ detectors: createMaskingDetectors() })
  const masker = createMasker(remembering, EVERYTHING)
  const mixed = hostileTexts([...SECRETS, ...PERSONAL, ...HIDDEN])
  return [
    target('mask', mixed, (text) => masks(masking, text, EVERYTHING)),
    target('mask-values', mixed, (text) => masks(masking, text, VALUES)),
    target(
      'scan-all',
      hostileTexts([...SECRETS, ...PERSONAL, ...HIDDEN, ...URLS, ...INJECTIONS, ...MALICE, ...RUDE, ...SQL, ...SHELL]),
      (text) => masks(whole, text, EVERYTHING),
      { slow: true },
    ),
    target('mask-json', hostileJson([...SECRETS, ...PERSONAL, ...HIDDEN]), (value) => {
      const { findings } = remembering.scanValue(value, 'tool')
      const applied = applyEdits(value, maskEdits(findings, EVERYTHING))
      holds('edits that mask apply', applied.outcome === 'applied', applied)
      const once = masker(value)
      const twice = masker(once.value)
      holds('masking twice is masking once', JSON.stringify(twice.value) === JSON.stringify(once.value), once.value)
      holds('what is masked holds nothing more', twice.masked.length === 0, twice)
    }),
  ]
}

/** Units that floods are made of: controls, lines of them, what looks like an image, and letters without an end. */
const FLOODS: readonly string[] = [
  '\u202e',
  '\u202ea',
  '\u202ea\n',
  '\u2067\u2069',
  '\u200b',
  '\u{e0041}',
  'iVBORw0KGgoAAAANSUhEUgAA',
  '/9j/4AAQSkZJRgABAQ',
  'a',
  '4111 ',
  '\\"',
  '<!--',
]

/** Much of the same: long lines, and objects and arrays of many members. */
const floods: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom(...FLOODS), fc.constantFrom(...FLOODS), fc.integer({ min: 1, max: 400 }), fc.nat(3))
  .map(([unit, name, count, kind]): JsonObject => {
    switch (kind) {
      case 0:
        return { text: unit.repeat(count) }
      case 1:
        return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, unit]))
      case 2:
        return { items: Array.from({ length: count }, () => unit) }
      default:
        return { [name.repeat(count)]: { data: unit.repeat(count) } }
    }
  })

const floodTarget = (detectors: readonly Detector[]): Target => {
  const scanner = createScanner({ detectors, cacheEntries: 0 })
  return target(
    'floods',
    floods,
    (value) => {
      const { findings, exhausted } = isSame(scanner.scanValue(value, 'tool'), scanner.scanValue(value, 'tool'))
      holds('a flood of this size is looked at to its end', !exhausted)
      holds('a flood gives no more findings than it has characters', findings.length <= JSON.stringify(value).length)
      const applied = applyEdits(value, maskEdits(findings, EVERYTHING))
      holds('edits that mask apply', applied.outcome === 'applied', applied)
    },
    { slow: true },
  )
}

const readingTargets: readonly Target[] = [
  target('unwrap-injection', hostileTexts([...INJECTIONS, ...SECRETS]), (text) => {
    for (const place of isSame(unwrap(text), unwrap(text))) liesIn(text, place)
  }),
  target('hosts', hostileTexts(URLS.filter((piece) => !/[/?#@\\]/.test(piece))), (text) => {
    const host = isSame(readHost(text), readHost(text))
    if (host === undefined) return
    const again = readHost(host.name.includes(':') ? `[${host.name}]` : host.name)
    holds('a host read again is the same host', JSON.stringify(again) === JSON.stringify(host), [host, again])
  }),
]

/** Detectors, and what is done with their findings. */
export const createDetectorTargets = (): readonly Target[] => {
  const detectors = createDetectors(loadConfig([])).map((detector) => (detector.id === 'topics' ? TOPICS : detector))
  return [...detectorTargets(detectors), ...maskTargets(detectors), floodTarget(detectors), ...readingTargets]
}
