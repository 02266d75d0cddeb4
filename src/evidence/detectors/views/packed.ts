import { fromBase32 } from '../../encodings/alphabets.ts'
import type { InflateBudget } from '../../encodings/inflate.ts'
import { inflate } from '../../encodings/inflate.ts'

/** How gzip, zlib and zstd begin in base64, and gzip in hexadecimal. */
const PACKED = /^(?:H4sI|eJ|eN|eA|eF|KLUv|1f8b08)/i
/** Shorter runs hold no key. */
const SHORTEST = 24
const UTF8 = new TextDecoder()

/** What a run of base64 or of hexadecimal digits holds in packed form, if it is text; also behind the parts of a path. */
export const unpackedRun = (run: string, budget: InflateBudget): string | undefined => {
  const part = run.slice(Math.max(0, run.search(/H4sI/)))
  if (part.length < SHORTEST || !PACKED.test(part)) return undefined
  const bytes = inflate(Buffer.from(part, /^1f8b/i.test(part) ? 'hex' : 'base64'), budget)
  if (bytes === undefined) return undefined
  const text = UTF8.decode(bytes)
  return text.includes('\ufffd') ? undefined : text
}

const BASE32 = /^[A-Z2-7]{24,4096}$/

/** What a run says in base32, if it is text: capitals and few digits, as authenticators and names of hosts carry it. */
export const fromBase32Run = (run: string): string | undefined => {
  if (!BASE32.test(run)) return undefined
  const [text = ''] = fromBase32(run)
  return /^[\x20-\x7e\n\t]{12,}$/.test(text) ? text : undefined
}
