/** Finds many texts in many bytes at once, however they are written there. */
export interface Needles<T> {
  add(text: string, of: T): void
  /** The owners of the texts in these bytes. */
  in(bytes: Buffer): ReadonlySet<T>
}

interface Pattern<T> {
  readonly bytes: Buffer
  readonly of: T
}

/** Shorter texts would be found by chance. */
const SHORTEST = 8
const HASHES = 1 << 20
/** A field of a channel is JSON in a prompt, the prompt is JSON in a request, and the host keeps requests in JSON. */
const JSON_LEVELS = 4

/** The base64 of a text inside a longer one: the part that does not depend on its surroundings. */
const base64Inside = (text: string): readonly string[] =>
  [0, 1, 2].map((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)])
    return bytes.toString('base64').slice(shift === 0 ? 0 : shift + 1, Math.floor((bytes.length * 4) / 3) - 1)
  })

/** The ways in which a program may have written a text down. */
const formsOf = (text: string): readonly Buffer[] => {
  const forms = [text, ...base64Inside(text)]
  for (let level = 0, inside = text; level < JSON_LEVELS; level++)
    forms.push((inside = JSON.stringify(inside).slice(1, -1)))
  const bytes = [
    ...forms.map((form) => Buffer.from(form)),
    Buffer.from(Buffer.from(text).toString('hex')),
    Buffer.from(text, 'utf16le'),
  ]
  const known = new Map(bytes.map((one) => [one.toString('latin1'), one]))
  return [...known.values()].filter((one) => one.length >= SHORTEST)
}

const hashAt = (bytes: Buffer, at: number): number =>
  (Math.imul(bytes.readInt32LE(at), 0x9e_37_79_b1) ^ Math.imul(bytes.readInt32LE(at + 4), 0x85_eb_ca_6b)) >>> 12

/** Makes a set of needles that is empty. */
export const createNeedles = <T>(): Needles<T> => {
  const patterns = new Map<number, Pattern<T>[]>()
  const present = new Uint8Array(HASHES)
  return {
    add(text, of) {
      for (const bytes of formsOf(text)) {
        const hash = hashAt(bytes, 0)
        present[hash] = 1
        patterns.set(hash, [...(patterns.get(hash) ?? []), { bytes, of }])
      }
    },
    in(bytes) {
      const found = new Set<T>()
      for (let at = 0; at + SHORTEST <= bytes.length; at++) {
        const hash = hashAt(bytes, at)
        if (present[hash] === 0) continue
        for (const { bytes: wanted, of } of patterns.get(hash) ?? [])
          if (
            bytes.length - at >= wanted.length &&
            bytes.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0
          )
            found.add(of)
      }
      return found
    },
  }
}
