/** A piece of a text as it reads once it is unwrapped, with the way back. */
export interface View {
  readonly text: string
  /**
   * Where a stretch of the view lies in the text it was made from; nothing when unwrapping had no part in it, so that
   * the text itself has shown it already.
   */
  origin(this: void, start: number, end: number): readonly [start: number, end: number] | undefined
  /** Looked at only where nothing is found in this one. */
  readonly otherwise?: View
  /** Whether what is found here, beginning there in the view, is whole: then `otherwise` shows nothing more of its type. */
  settles?(this: void, start: number): boolean
}

/** Puts a view together, in the order of the text it is made from. */
export interface ViewBuilder {
  /** A stretch of the text as it is. */
  keep(from: number, to: number): void
  /** What a stretch of the text reads as; nothing for what is left out. Each character of it stands for an equal part. */
  put(read: string, from: number, to: number): void
  /** The same backwards: the last character of the stretch comes first. */
  turn(read: string, from: number, to: number): void
  /** Words that stand in no place of the text and are there for what they say about the next. */
  say(words: string): void
  /** Everything counts as unwrapped, also what is kept: for views that show a text in another company. */
  done(everything?: true): View
}

/** Of a view: where it begins, the stretch it stands for, and how many code units of that a character takes. */
interface Pieces {
  readonly at: number[]
  readonly from: number[]
  readonly to: number[]
  /** 1 for what is kept, 0 for a stretch that is one, negative for what is turned, NaN for what is only said. */
  readonly step: number[]
}

/** The number of the piece that holds a place of the view, by halving. */
const pieceAt = ({ at }: Pieces, place: number): number => {
  let low = 0
  let high = at.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[middle] ?? Infinity) <= place) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Where a character of a view lies in the text. */
const stretchOf = (pieces: Pieces, piece: number, place: number): readonly [number, number] => {
  const from = pieces.from[piece] ?? 0
  const to = pieces.to[piece] ?? from
  const step = pieces.step[piece] ?? 0
  const steps = place - (pieces.at[piece] ?? 0)
  if (step > 0) return [from + steps * step, from + (steps + 1) * step]
  return step < 0 ? [to + (steps + 1) * step, to + steps * step] : [from, to]
}

/** What ends a text in JSON and in code: a value that reaches over it is none, and its mask would break them. */
const holdsQuote = (text: string): boolean => /["'`]/.test(text)

const originIn =
  (source: string, pieces: Pieces, everything: boolean) =>
  (start: number, end: number): readonly [number, number] | undefined => {
    const first = pieceAt(pieces, start)
    const last = pieceAt(pieces, end - 1)
    const isKept = first === last && pieces.step[first] === 1
    const isSaid = first === last && Number.isNaN(pieces.step[first])
    if (isSaid || (isKept && !everything)) return undefined
    const [from, until] = stretchOf(pieces, first, start)
    const [since, to] = stretchOf(pieces, last, end - 1)
    // Within a piece that is turned the end comes first.
    const range = [Math.min(from, since), Math.max(until, to)] as const
    return range[1] > range[0] && !holdsQuote(source.slice(...range)) ? range : undefined
  }

/** Makes a view of a text. */
export const createViewBuilder = (source: string): ViewBuilder => {
  const pieces: Pieces = { at: [], from: [], to: [], step: [] }
  const parts: string[] = []
  let length = 0
  const add = (read: string, from: number, to: number, step: number): void => {
    if (read === '') return
    parts.push(read)
    const last = pieces.at.length - 1
    // What goes on in the same way is one piece.
    if (step > 0 && last >= 0 && pieces.step[last] === step && pieces.to[last] === from) pieces.to[last] = to
    else {
      pieces.at.push(length)
      pieces.from.push(from)
      pieces.to.push(to)
      pieces.step.push(step)
    }
    length += read.length
  }
  const stepOf = (read: string, from: number, to: number): number => {
    const step = (to - from) / read.length
    return Number.isInteger(step) ? step : 0
  }
  return {
    keep: (from, to) => {
      add(source.slice(from, to), from, to, 1)
    },
    put: (read, from, to) => {
      const step = stepOf(read, from, to)
      // A letter for a letter is not a part that is kept, and must not become one with it.
      if (step !== 1) add(read, from, to, step)
      else for (let at = 0; at < read.length; at++) add(read.charAt(at), from + at, from + at + 1, 0)
    },
    turn: (read, from, to) => {
      add(read, from, to, -stepOf(read, from, to))
    },
    say: (words) => {
      add(words, 0, 0, Number.NaN)
    },
    done: (everything) => ({ text: parts.join(''), origin: originIn(source, pieces, everything === true) }),
  }
}

/** A view of a view, with the way back to the text that the outer one was made from. */
export const within = (outer: View, inner: View): View => ({
  text: inner.text,
  origin: (start, end) => {
    const range = inner.origin(start, end)
    return range === undefined ? undefined : outer.origin(...range)
  },
  ...(inner.otherwise === undefined ? {} : { otherwise: within(outer, inner.otherwise) }),
  ...(inner.settles === undefined ? {} : { settles: inner.settles }),
})
