import { createFolding } from '../../src/evidence/detectors/injection/hashed-features.ts'
import type { WordHead } from '../../src/evidence/detectors/injection/injection-model.ts'
import type { Vocabulary } from '../../src/evidence/detectors/injection/word-segments.ts'
import { createSegment, eachSegment } from '../../src/evidence/detectors/injection/word-segments.ts'
import type { Sample } from './sources.ts'

/** A text as the word model learns from it. */
export interface WordExample {
  /** Tokens of each window, one after the other. */
  readonly ids: Int32Array
  /** Where each window ends in them. */
  readonly ends: readonly number[]
  /** For attacks: windows that hold the injected part; all, where it is not known. */
  readonly positive: readonly number[]
  /** What each head is to say; none where the text is no business of the head. */
  readonly wanted: Readonly<Partial<Record<WordHead, boolean>>>
  readonly weight: number
}

/** Longer texts are cut: the beginning tells enough. */
const LONGEST = 12_000

const folding = createFolding()
const segment = createSegment()

/** An order in a result may be harmless from a person; what a person asks for is not a result. */
const wantedOf = ({ attack, channel, source }: Sample): WordExample['wanted'] => {
  if (!attack) return channel === 'tool' ? { user: false, tool: false } : { user: false }
  return channel === 'tool' && source !== 'inserted attack' ? { tool: true } : { user: true, tool: true }
}

/** Makes an example of a sample. */
export const toWordExample = (sample: Sample, vocabulary: Vocabulary): WordExample => {
  const { payload, weight } = sample
  const text = sample.text.slice(0, LONGEST)
  const place = payload === undefined ? -1 : text.indexOf(payload.trim().slice(0, 40))
  const until = place + (payload?.length ?? 0)
  const ids: number[] = []
  const ends: number[] = []
  const positive: number[] = []
  eachSegment(text, vocabulary, folding, segment, (from, to) => {
    const start = segment.start[from] ?? 0
    const end = segment.end[to - 1] ?? 0
    const shared = Math.min(end, until) - Math.max(start, place)
    if (place < 0 || shared > 0.5 * Math.min(end - start, until - place)) positive.push(ends.length)
    for (let at = from; at < to; at++) ids.push(segment.ids[at] ?? 0)
    ends.push(ids.length)
  })
  return { ids: Int32Array.from(ids), ends, positive, wanted: wantedOf(sample), weight }
}
