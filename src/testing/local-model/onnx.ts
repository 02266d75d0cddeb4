import { Buffer } from 'node:buffer'

/** The few messages of ONNX (onnx.proto3, IR version 8, opset 13) that a linear model over words needs. */
const varint = (value: number): Buffer => {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}

/** Protocol buffers, wire types 0 and 2. */
const number = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8), varint(value)])
const message = (field: number, ...parts: readonly (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body])
}

const FLOAT = 1
const INT64 = 7
const INT = 2

const node = (op: string, inputs: readonly string[], output: string, attribute: string, value: number): Buffer =>
  message(
    1,
    ...inputs.map((input) => message(1, input)),
    message(2, output),
    message(4, op),
    message(5, message(1, attribute), number(3, value), number(20, INT)),
  )

const tensor = (name: string, type: number, dims: readonly number[], data: Uint8Array): Buffer =>
  message(5, ...dims.map((dim) => number(1, dim)), number(2, type), message(8, name), message(9, Buffer.from(data)))

/** An input (field 11) or output (field 12) with named or fixed dimensions. */
const value = (field: number, name: string, type: number, dims: readonly (string | number)[]): Buffer => {
  const shape = dims.map((dim) => message(1, typeof dim === 'number' ? number(1, dim) : message(2, dim)))
  return message(field, message(1, name), message(2, message(1, number(1, type), message(2, ...shape))))
}

/**
 * A model that adds up two figures for each token, and gives the sums as its logits.
 * @param weights by token
 */
export const linearModel = (weights: readonly (readonly [number, number])[]): Buffer => {
  const table = new Uint8Array(Float32Array.from(weights.flat()).buffer)
  const axes = new Uint8Array(BigInt64Array.from([1n]).buffer)
  const graph = [
    node('Gather', ['weights', 'input_ids'], 'figures', 'axis', 0),
    node('ReduceSum', ['figures', 'axes'], 'logits', 'keepdims', 0),
    message(2, 'words'),
    tensor('weights', FLOAT, [weights.length, 2], table),
    tensor('axes', INT64, [1], axes),
    value(11, 'input_ids', INT64, ['batch', 'tokens']),
    value(11, 'attention_mask', INT64, ['batch', 'tokens']),
    value(12, 'logits', FLOAT, ['batch', 2]),
  ]
  return Buffer.concat([
    number(1, 8),
    message(2, 'sallyport'),
    message(7, ...graph),
    message(8, message(1, ''), number(2, 13)),
  ])
}
