import type { Channel } from '../../../protocol/step.ts'
import { CHANNELS } from '../../../protocol/step.ts'
import { FINDING_SIGNALS } from './signals.ts'
import { FIRST_WORD } from './word-segments.ts'

/** A trained model: what scripts/train writes and this detector reads. */
export interface InjectionModel {
  /** Changes with the weights: stands in the trace. */
  readonly version: string
  /** The weights of the n-grams are 2^bits. */
  readonly bits: number
  readonly weights: Int8Array
  /** What a weight of 1 is worth. */
  readonly scale: number
  readonly bias: number
  readonly words: WordModel
  /** From the logits of a stretch and the signals of rules to a probability, channel by channel. */
  readonly calibration: Readonly<Record<Channel, Calibration>>
}

/**
 * A convolution over three words with the greatest answer of each filter over a sentence, folded into a table: the answer
 * of each filter to each word of the vocabulary at each of the three places.
 */
export interface WordModel {
  /** Hashes of the words (word-segments.ts), in the order of the rows. */
  readonly hashes: Uint32Array
  readonly filters: number
  /** For each token three times `filters` answers: as the first, the middle and the last of three words. */
  readonly rows: Int8Array
  /** For each filter what 1 is worth, what is added, and what its answer adds to the logit. */
  readonly scales: readonly number[]
  readonly biases: readonly number[]
  readonly heads: Readonly<Record<WordHead, { readonly bias: number; readonly weights: readonly number[] }>>
}

/** An order is normal from a person and odd in what a tool returns: each has a head of its own. */
export const WORD_HEADS = ['user', 'tool'] as const
export type WordHead = (typeof WORD_HEADS)[number]

/** Whose head judges the texts of a channel. */
export const HEAD_OF: Readonly<Record<Channel, WordHead>> = {
  user: 'user',
  tool: 'tool',
  memory: 'tool',
  knowledge: 'tool',
  agent: 'user',
}

/** Logistic calibration, fitted on sources that the weights had not seen. */
export interface Calibration {
  /** What the logit of the n-grams counts, and that of the words. */
  readonly slope: number
  readonly words: number
  readonly offset: number
  /** Added to the logit for each family of rules that holds, by the name of the family. */
  readonly signals: Readonly<Record<string, number>>
}

const MAGIC = 'SPINJ2\n'

interface Head extends Omit<InjectionModel, 'weights' | 'words'> {
  readonly words: Omit<WordModel, 'hashes' | 'rows'> & { readonly count: number }
}

/** The file of a model: a line that names the format, a line of JSON, the n-grams' weights, the words' hashes, their rows. */
export const encodeModel = ({ weights, words, ...rest }: InjectionModel): Uint8Array => {
  const { hashes, rows, ...word } = words
  const head: Head = { ...rest, words: { ...word, count: hashes.length } }
  const lines = new TextEncoder().encode(`${MAGIC}${JSON.stringify(head)}\n`)
  const bytes = new Uint8Array(lines.length + weights.length + hashes.length * 4 + rows.length)
  bytes.set(lines)
  bytes.set(new Uint8Array(weights.buffer, weights.byteOffset, weights.length), lines.length)
  const view = new DataView(bytes.buffer, lines.length + weights.length)
  for (const [at, hash] of hashes.entries()) view.setUint32(at * 4, hash, true)
  bytes.set(
    new Uint8Array(rows.buffer, rows.byteOffset, rows.length),
    lines.length + weights.length + hashes.length * 4,
  )
  return bytes
}

const LONGEST_HEAD = 16_384

/** Reads a model file. Throws a TypeError when it is none: the package is damaged. */
export const decodeModel = (bytes: Uint8Array): InjectionModel => {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, LONGEST_HEAD))
  const end = text.indexOf('\n', MAGIC.length)
  if (!text.startsWith(MAGIC) || end === -1) throw new TypeError('Not an injection model')
  const { words, ...head } = JSON.parse(text.slice(MAGIC.length, end)) as Head
  const { count, ...word } = words
  const body = bytes.subarray(end + 1)
  const bins = 2 ** head.bits
  const rows = (count + FIRST_WORD) * 3 * word.filters
  if (!(head.bits >= 8 && head.bits <= 22) || body.length !== bins + count * 4 + rows)
    throw new TypeError(`An injection model of ${body.length} bytes that claims 2^${head.bits} n-grams, ${count} words`)
  for (const channel of CHANNELS)
    for (const name of FINDING_SIGNALS)
      if (typeof head.calibration[channel].signals[name] !== 'number')
        throw new TypeError(`An injection model without ${name} for ${channel}`)
  const view = new DataView(body.buffer, body.byteOffset + bins, count * 4)
  const hashes = new Uint32Array(count)
  for (let at = 0; at < count; at++) hashes[at] = view.getUint32(at * 4, true)
  return {
    ...head,
    weights: new Int8Array(body.subarray(0, bins)),
    words: {
      ...word,
      hashes,
      rows: new Int8Array(body.subarray(bins + count * 4)),
    },
  }
}
