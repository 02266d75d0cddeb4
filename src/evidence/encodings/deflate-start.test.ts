import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { mayBeDeflate } from './deflate-start.ts'

/** What comes out of bytes that may be cut off; nothing where they are not deflate. */
const unpacked = (bytes: Uint8Array): number => {
  try {
    return inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).length
  } catch {
    return 0
  }
}

/** The same bytes on every run: a linear congruential generator. */
const noise = (count: number, seed: number): Uint8Array => {
  let state = seed
  return Uint8Array.from({ length: count }, () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24)
}

/** Noise whose first block has codes: fixed ones, or its own. */
const samples = Array.from({ length: 6_000 }, (_, seed) => {
  const bytes = noise(8 + (seed % 60), seed)
  bytes[0] = ((bytes[0] ?? 0) & ~6) | (seed % 2 === 0 ? 2 : 4)
  return bytes
})

test('whatever can be unpacked may be deflate, also cut off', () => {
  const texts = [
    'a',
    'abcabcabcabc',
    'key=value; '.repeat(40),
    'The quick brown fox jumps over the lazy dog. 0123456789',
  ]
  for (const text of texts)
    for (const strategy of [
      constants.Z_DEFAULT_STRATEGY,
      constants.Z_FIXED,
      constants.Z_HUFFMAN_ONLY,
      constants.Z_RLE,
    ]) {
      const packed = deflateRawSync(text, { strategy })
      for (let end = 1; end <= packed.length; end++) {
        const part = packed.subarray(0, end)
        if (unpacked(part) > 0) expect(mayBeDeflate(part), `${text.slice(0, 12)} ${strategy} ${end}`).toBe(true)
      }
    }
  const open = samples.filter((bytes) => unpacked(bytes) > 0)
  expect(open.length).toBeGreaterThan(0)
  expect(open.filter((bytes) => !mayBeDeflate(bytes))).toEqual([])
})

test('a stored block in front of a packed one hides nothing', () => {
  const packed = Buffer.concat([Uint8Array.of(0, 0, 0, 0xff, 0xff), deflateRawSync('key=value; '.repeat(40))])
  expect(unpacked(packed)).toBe(440)
  expect(mayBeDeflate(packed)).toBe(true)
  expect(mayBeDeflate(Uint8Array.of(0, 1, 2, 3, 4, 5))).toBe(false)
})

test('noise is mostly recognised without an attempt', () => {
  const tried = samples.filter((bytes) => mayBeDeflate(bytes))
  expect(tried.length).toBeLessThan(samples.length / 8)
})
