import { FINDING_SIGNALS } from './signals.ts'

/** A trained model: what scripts/train writes and this detector reads. */
export interface InjectionModel {
  /** Changes with the weights: stands in the trace. */
  readonly version: string
  /** The weights are 2^bits. */
  readonly bits: number
  readonly weights: Int8Array
  /** What a weight of 1 is worth. */
  readonly scale: number
  readonly bias: number
  /** From the highest logit and the signals of rules to a probability. */
  readonly calibration: Calibration
}

/** Logistic calibration, fitted on sources that the weights had not seen. */
export interface Calibration {
  readonly slope: number
  readonly offset: number
  /** Added to the logit for each family of rules that holds, by the name of the family. */
  readonly signals: Readonly<Record<string, number>>
}

const MAGIC = 'SPINJ1\n'

/** The file of a model: a line that names the format, a line of JSON, then the weights. */
export const encodeModel = ({ weights, ...head }: InjectionModel): Uint8Array => {
  const lines = new TextEncoder().encode(`${MAGIC}${JSON.stringify(head)}\n`)
  const bytes = new Uint8Array(lines.length + weights.length)
  bytes.set(lines)
  bytes.set(new Uint8Array(weights.buffer, weights.byteOffset, weights.length), lines.length)
  return bytes
}

/** Reads a model file. Throws a TypeError when it is none: the package is damaged. */
export const decodeModel = (bytes: Uint8Array): InjectionModel => {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, 4096))
  const end = text.indexOf('\n', MAGIC.length)
  if (!text.startsWith(MAGIC) || end === -1) throw new TypeError('Not an injection model')
  const head = JSON.parse(text.slice(MAGIC.length, end)) as Omit<InjectionModel, 'weights'>
  const body = bytes.subarray(end + 1)
  if (!(head.bits >= 8 && head.bits <= 22) || body.length !== 2 ** head.bits)
    throw new TypeError(`An injection model of ${body.length} weights that claims 2^${head.bits}`)
  for (const name of FINDING_SIGNALS)
    if (typeof head.calibration.signals[name] !== 'number') throw new TypeError(`An injection model without ${name}`)
  return { ...head, weights: new Int8Array(body) }
}
