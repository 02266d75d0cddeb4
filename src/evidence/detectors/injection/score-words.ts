import type { WordHead, WordModel } from './injection-model.ts'
import { TOKEN, createSegment, createVocabulary, eachSegment } from './word-segments.ts'

/** Sentences of a text with their logits, in text order. */
export interface ScoredSentences {
  readonly start: readonly number[]
  readonly end: readonly number[]
  readonly logit: readonly number[]
}

/** Returns the logits of a text's sentences. */
export type SentenceScorer = (text: string, head: WordHead) => ScoredSentences

/** A sentence with more unknown words than one in this many gets no logit. */
const STRANGE_ONE_IN = 5

/** Creates the scorer of a model. It owns its buffers. */
export const createSentenceScorer = (model: WordModel, folding: Uint16Array): SentenceScorer => {
  const { filters, rows, scales, biases, heads } = model
  const vocabulary = createVocabulary(model.hashes)
  const segment = createSegment()
  const row = filters * 3
  const most = new Int32Array(filters)
  const pool = (from: number, to: number): void => {
    most.fill(-0x7fff)
    for (let at = from; at < to; at++) {
      const before = at > from ? (segment.ids[at - 1] ?? 0) * row : 0
      const here = (segment.ids[at] ?? 0) * row + filters
      const after = (at + 1 < to ? (segment.ids[at + 1] ?? 0) * row : 0) + filters * 2
      for (let filter = 0; filter < filters; filter++) {
        const answer = (rows[before + filter] ?? 0) + (rows[here + filter] ?? 0) + (rows[after + filter] ?? 0)
        const known = most[filter] ?? 0
        const more = answer - known
        // The greater of both, by the sign of their difference: a jump at each would be guessed wrong too often.
        most[filter] = known + (more & ~(more >> 31))
      }
    }
  }
  /** Whether enough of the words are known: the model cannot evaluate languages outside its vectors. */
  const hasKnownWords = (from: number, to: number): boolean => {
    let strange = 0
    for (let at = from; at < to; at++) {
      const id = segment.ids[at]
      if (id === TOKEN.unknown || id === TOKEN.foreign) strange++
    }
    return strange * STRANGE_ONE_IN <= to - from
  }
  return (text, head) => {
    const { bias, weights } = heads[head]
    const found = { start: [] as number[], end: [] as number[], logit: [] as number[] }
    eachSegment(text, vocabulary, folding, segment, (from, to) => {
      if (!hasKnownWords(from, to)) return
      pool(from, to)
      let logit = bias
      for (let filter = 0; filter < filters; filter++) {
        const answer = (most[filter] ?? 0) * (scales[filter] ?? 0) + (biases[filter] ?? 0)
        if (answer > 0) logit += answer * (weights[filter] ?? 0)
      }
      found.start.push(segment.start[from] ?? 0)
      found.end.push(segment.end[to - 1] ?? text.length)
      found.logit.push(logit)
    })
    return found
  }
}
