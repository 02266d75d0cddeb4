import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { mayBeDeflate } from './deflate-start.ts'

/** What may still be spent on unpacking for one text or call; it is used up. */
export interface InflateBudget {
  /** Bytes of input that may be tried. */
  attempts: number
  /** Bytes that may come out. */
  bytes: number
}

/** What one text or call may cost: a bomb ends here. */
export const inflateBudget = (): InflateBudget => ({ attempts: 24, bytes: 262_144 })

type Unpack = (bytes: Uint8Array, maxOutputLength: number) => Uint8Array

/** What is cut off shows its beginning. */
const deflate =
  (unpack: typeof inflateSync): Unpack =>
  (bytes, maxOutputLength) =>
    unpack(bytes, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH })

const gzip = deflate(gunzipSync)
const zlib = deflate(inflateSync)
const inflateRaw = deflate(inflateRawSync)
const raw: Unpack = (bytes, maxOutputLength) =>
  mayBeDeflate(bytes) ? inflateRaw(bytes, maxOutputLength) : new Uint8Array()
const brotli: Unpack = (bytes, maxOutputLength) => brotliDecompressSync(bytes, { maxOutputLength })
const zstd: Unpack = (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength })

/** Formats that are recognised by their first bytes. */
const packedAs = ([first, second, third, fourth]: Uint8Array): Unpack | undefined => {
  if (first === 0x1f && second === 0x8b && third === 8) return gzip
  if (first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd) return zstd
  const isZlib =
    first !== undefined && second !== undefined && (first & 0x8f) === 8 && (first * 256 + second) % 31 === 0
  return isZlib ? zlib : undefined
}

const attempt = (unpack: Unpack, bytes: Uint8Array, budget: InflateBudget): Uint8Array | undefined => {
  if (budget.attempts <= 0 || budget.bytes <= 0) return undefined
  budget.attempts--
  try {
    const out = unpack(bytes, budget.bytes)
    budget.bytes -= out.length
    return out.length > 0 ? out : undefined
  } catch {
    return undefined
  }
}

const isText = (byte: number): boolean => (byte >= 32 && byte < 127) || (byte >= 9 && byte <= 13)

/** Whether bytes are text for the most part; of long ones the beginning is looked at. */
export const isMostlyText = (bytes: Uint8Array): boolean => {
  const seen = bytes.subarray(0, 256)
  let text = 0
  for (const byte of seen) if (isText(byte)) text++
  return seen.length > 0 && text * 10 >= seen.length * 9
}

/** A first block of deflate with codes, and not one that is only stored. */
const beginsDeflate = (first: number): boolean => (first & 6) === 2 || (first & 6) === 4
/** The default window of common programs: 4 MB and more. */
const beginsBrotli = (first: number): boolean => (first & 15) === 11 || (first & 15) === 13 || (first & 15) === 15

/**
 * What packed bytes hold: gzip, zlib and zstd by their form; what has no form, as deflate and brotli, only where `blind`
 * asks for it and what comes out is text.
 */
export const inflate = (bytes: Uint8Array, budget: InflateBudget, blind = false): Uint8Array | undefined => {
  const [first] = bytes
  if (first === undefined || bytes.length < 8) return undefined
  const unpack = packedAs(bytes)
  const found = unpack === undefined ? undefined : attempt(unpack, bytes, budget)
  if (found !== undefined || !blind) return found
  for (const tried of [...(beginsDeflate(first) ? [raw] : []), ...(beginsBrotli(first) ? [brotli] : [])]) {
    const out = attempt(tried, bytes, budget)
    if (out !== undefined && out.length >= 8 && isMostlyText(out)) return out
  }
  return undefined
}
