/** The part of ONNX Runtime that is used; it is the same in `onnxruntime-node` and `onnxruntime-web`. */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(model: string | Uint8Array, options?: Readonly<Record<string, unknown>>): Promise<OnnxSession>
  }
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown
  readonly env: { readonly wasm?: { numThreads?: number } }
}

export interface OnnxSession {
  readonly inputNames: readonly string[]
  run(feeds: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, { readonly data: Iterable<number> }>>>
}

/** The part of a tokenizer that is in use. */
export interface ModelTokenizer {
  encode(text: string, options?: { readonly add_special_tokens?: boolean }): { readonly ids: readonly number[] }
}

export interface ClassifierOptions {
  readonly runtime: Pick<OnnxRuntime, 'Tensor'>
  readonly session: OnnxSession
  readonly tokenizer: ModelTokenizer
  /** Texts that the tokenizer reads as special tokens of the model. */
  readonly marks: readonly string[]
  /** Numbers of the labels whose probabilities count, and how many labels there are. */
  readonly labels: readonly number[]
  readonly labelCount: number
  /** Tokens that the model takes at once, marks included, and tokens that two windows share. */
  readonly windowTokens: number
  readonly overlap: number
}

/** A text classifier: the highest probability of a label over all windows of a text, 0 to 1. */
export type Classifier = (text: string) => Promise<number>

/** Probabilities of all labels. */
const softmax = (logits: readonly number[]): readonly number[] => {
  const most = Math.max(...logits)
  const weights = logits.map((one) => Math.exp(one - most))
  const sum = weights.reduce((a, b) => a + b, 0)
  return weights.map((one) => one / sum)
}

/** Where a short list of tokens begins in a longer one. */
const placeOf = (part: readonly number[], whole: readonly number[]): number =>
  whole.findIndex((_, at) => part.every((token, index) => whole[at + index] === token))

/** Makes a classifier from a loaded model. @throws Error when the model has unknown inputs */
export const createClassifier = (options: ClassifierOptions): Classifier => {
  const { runtime, session, tokenizer, marks, labels, labelCount, windowTokens, overlap } = options
  const unknown = session.inputNames.find((name) => !['input_ids', 'attention_mask', 'token_type_ids'].includes(name))
  if (unknown !== undefined) throw new Error(`the model has an unknown input, ${unknown}`)
  const sample = tokenizer.encode('a', { add_special_tokens: false }).ids
  const marked = tokenizer.encode('a').ids
  const at = Math.max(0, placeOf(sample, marked))
  const before = marked.slice(0, at)
  const after = marked.slice(at + sample.length)
  const room = Math.max(1, windowTokens - before.length - after.length)
  const step = Math.max(1, room - overlap)

  /** The text without special tokens of the model: a stranger must not end or mask it. */
  const unmarked = (text: string): string =>
    marks.reduce(
      (so, mark) => (so.includes(mark) ? so.replaceAll(mark, `${mark.slice(0, 1)} ${mark.slice(1)}`) : so),
      text,
    )

  const score = async (window: readonly number[]): Promise<number> => {
    const ids = [...before, ...window, ...after]
    const tensor = (values: readonly number[]): unknown =>
      new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), [1, ids.length])
    const feeds = Object.fromEntries(
      session.inputNames.map((name) => [
        name,
        tensor(name === 'input_ids' ? ids : ids.map(() => (name === 'attention_mask' ? 1 : 0))),
      ]),
    )
    const outputs = await session.run(feeds)
    const logits = [...((outputs['logits'] ?? Object.values(outputs)[0])?.data ?? [])].map(Number)
    if (logits.length !== labelCount || logits.some((one) => !Number.isFinite(one)))
      throw new Error(`the model gave ${logits.length} figures for ${labelCount} labels`)
    const probabilities = softmax(logits)
    return labels.reduce((sum, label) => sum + (probabilities[label] ?? 0), 0)
  }

  return async (text) => {
    const { ids } = tokenizer.encode(unmarked(text), { add_special_tokens: false })
    let highest = 0
    for (let from = 0; from === 0 || from + overlap < ids.length; from += step)
      highest = Math.max(highest, await score(ids.slice(from, from + room)))
    return highest
  }
}
