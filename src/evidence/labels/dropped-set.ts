/** A set of dropped digests in constant space: an added one is always found, few others are confused with it. */
export interface DroppedSet {
  add(digest: string): void
  has(digest: string): boolean
  /** True once anything was added. */
  readonly used: boolean
  /** All of it, in base64. */
  bits(): string
  /** Adds what another one gave as its bits. */
  restore(bits: string): void
}

const BYTES = 65_536

/** Three positions for a digest: with 50,000 added, one in seventy others is a false positive. */
const placesOf = (digest: string): readonly number[] => {
  const bytes = Buffer.from(digest, 'base64')
  return [0, 4, 8].map((at) => bytes.readUInt32LE(at) % (BYTES * 8))
}

/** Makes a set of dropped digests (a Bloom filter of 64 KiB, made when it is needed). */
export const createDroppedSet = (): DroppedSet => {
  let field: Buffer | undefined
  return Object.freeze<DroppedSet>({
    add: (digest) => {
      field ??= Buffer.alloc(BYTES)
      for (const place of placesOf(digest)) field[place >> 3] = (field[place >> 3] ?? 0) | (1 << (place & 7))
    },
    has: (digest) =>
      field !== undefined && placesOf(digest).every((place) => ((field?.[place >> 3] ?? 0) & (1 << (place & 7))) !== 0),
    get used() {
      return field !== undefined
    },
    bits: () => field?.toString('base64') ?? '',
    restore: (bits) => {
      if (bits === '') return
      field ??= Buffer.alloc(BYTES)
      for (const [at, byte] of Buffer.from(bits, 'base64').entries()) field[at] = (field[at] ?? 0) | byte
    },
  })
}
