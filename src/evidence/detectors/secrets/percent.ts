import type { View } from './view.ts'

/** Longer runs are read in part. */
const LONGEST = 32_768

const hexAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  if (code >= 48 && code <= 57) return code - 48
  const folded = code | 32
  return folded >= 97 && folded <= 102 ? folded - 87 : -1
}

/** The character a percent code stands for; codes of more than ASCII are left as they are. */
const codeAt = (text: string, at: number): number => {
  if (text.charCodeAt(at) !== 37) return -1
  const high = hexAt(text, at + 1)
  const low = hexAt(text, at + 2)
  return high < 0 || high > 7 || low < 0 ? -1 : high * 16 + low
}

/** White space, quotes and angles end a run; nothing in a URL is any of them. */
const endsRun = (code: number): boolean =>
  code <= 32 || code === 34 || code === 39 || code === 60 || code === 62 || code === 96

const runView = (text: string, from: number, to: number): View => {
  const starts: number[] = []
  let decoded = ''
  for (let at = from; at < to;) {
    const code = codeAt(text, at)
    starts.push(at)
    decoded += code < 0 ? text.charAt(at) : String.fromCharCode(code)
    at += code < 0 ? 1 : 3
  }
  return {
    text: decoded,
    origin: (start, end) => {
      const first = starts[start] ?? from
      const last = starts[end] ?? to
      return last - first === end - start ? undefined : [first, last]
    },
  }
}

/** Runs of a text that hold percent codes, as they read decoded. */
export const percentViews = (text: string): readonly View[] => {
  const views: View[] = []
  let seen = 0
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', Math.max(at + 1, seen))) {
    if (codeAt(text, at) < 32) continue
    let from = at
    while (from > seen && at - from < LONGEST && !endsRun(text.charCodeAt(from - 1))) from--
    let to = at
    while (to < text.length && to - at < LONGEST && !endsRun(text.charCodeAt(to))) to++
    views.push(runView(text, from, to))
    seen = to
  }
  return views
}
