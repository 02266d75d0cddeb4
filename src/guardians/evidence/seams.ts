import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { Scanner } from '../../evidence/detectors/scanner.ts'
import type { Finding } from '../../protocol/evidence.ts'
import type { Json } from '../../protocol/json.ts'
import { walk, pointerOf } from '../../evidence/detectors/walk.ts'
import type { Channel } from '../../protocol/step.ts'

/** The last texts of one session and one kind of step. */
interface Seam {
  /** The step of the last text; when it is evaluated again, it is not its own past. */
  readonly step: string
  /** Ends of texts, the newest last; in memory only. */
  readonly ends: readonly string[]
  /** The ends before this step. */
  readonly past: readonly string[]
}

/** Most sessions and kinds; the least recently used one is evicted first. */
const MOST_SEAMS = 512
/** Most ends of each, from as many results. */
const MOST_ENDS = 3
/** Characters of an end, and of the beginning of the text after it. */
const LONGEST = 512
/** Texts of a step whose beginnings are checked. */
const MOST_TEXTS = 4
/** A shorter end is a word that any text may end in. */
const SHORTEST = 2

/** The end of a value that may continue, and the beginning of a text that may continue one. */
const END = /[A-Za-z0-9_+/=.@-]{2,512}[ \t]{0,2}\r?\n?$/
const BEGINNING = /^\s{0,8}([A-Za-z0-9_+/=.@-]{1,512})/

/** Ends of prose: a word, or a word and a stop. */
const IS_PROSE = /^[A-Za-z]?[a-z]+[.!?:]?$/

/** The last line of a text, as far as it may be the beginning of a value. */
const endOf = (text: string): string | undefined => {
  const tail = text.slice(-LONGEST)
  const last = END.exec(tail)?.[0].trim()
  if (last === undefined || last.length < SHORTEST || IS_PROSE.test(last) || /^[.=-]+$/.test(last)) return undefined
  return tail.trimEnd().split('\n').at(-1)
}

/** A text of a step, with its place. */
interface Text {
  readonly pointer: string
  readonly text: string
}

const textsOf = (value: Json, at: string): readonly Text[] => {
  const texts: Text[] = []
  walk(value, {
    value: () => texts.length < MOST_TEXTS,
    name: () => true,
    text: (text, place) => {
      if (text !== '') texts.push({ pointer: at + pointerOf(place), text })
      return texts.length < MOST_TEXTS
    },
  })
  return texts
}

/** Finds values whose parts came in two results or answers of one session. */
export interface Seams {
  /**
   * Findings across the end of an earlier text and the beginning of one of these. Stores their ends.
   * @param stream the session and the kind of step
   */
  findOver(
    stream: string,
    step: string,
    parts: readonly { readonly pointer: string; readonly value: Json }[],
    channel: Channel,
  ): readonly Finding[]
}

/** Makes the store of text ends: a few hundred characters a session, for as many sessions as are busy. */
export const createSeams = (scanner: Scanner): Seams => {
  const seams = createBoundedMap<string, Seam>({ most: MOST_SEAMS })

  const findIn = (end: string, { pointer, text }: Text, channel: Channel): readonly Finding[] => {
    const first = BEGINNING.exec(text)?.[1]
    if (first === undefined || IS_PROSE.test(first)) return []
    const lead = text.length - text.trimStart().length
    const beginning = text.slice(lead, lead + LONGEST)
    const seam = end.length
    // A finding within one part was reported there.
    return scanner
      .scanText(end + beginning, channel)
      .matches.filter(
        ({ category, start, end: to }) => (category === 'secret' || category === 'pii') && start < seam && to > seam,
      )
      .map(({ start: _start, end: to, ...match }) => ({
        ...match,
        span: { pointer, start: lead, end: lead + to - seam },
      }))
  }

  return Object.freeze<Seams>({
    findOver: (stream, step, parts, channel) => {
      const known = seams.get(stream)
      const past = known === undefined ? [] : known.step === step ? known.past : known.ends
      const texts = parts.flatMap(({ pointer, value }) => textsOf(value, pointer))
      const found = texts.flatMap((text) => past.flatMap((end) => findIn(end, text, channel)))
      const fresh = texts.flatMap(({ text }) => endOf(text) ?? [])
      const ends = [...past, ...fresh].slice(-MOST_ENDS)
      if (ends.length > 0) seams.set(stream, { step, ends, past })
      else seams.delete(stream)
      return found
    },
  })
}
