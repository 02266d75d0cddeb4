const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700

const adapt = (delta: number, points: number, first: boolean): number => {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1
  rest += Math.floor(rest / points)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}

const digitOf = (code: number): number =>
  code >= 48 && code <= 57 ? code - 22 : code >= 97 && code <= 122 ? code - 97 : BASE

/** Longest label of a host name. */
const LONGEST = 63

/** Decodes a label without its `xn--` (RFC 3492); `undefined` if it is invalid. */
export const decodePunycode = (label: string): string | undefined => {
  if (label.length > LONGEST) return undefined
  const cut = label.lastIndexOf('-')
  const points = Array.from(label.slice(0, Math.max(0, cut)), (char) => char.codePointAt(0) ?? 0)
  let n = 128
  let i = 0
  let bias = 72
  for (let at = cut + 1; at < label.length;) {
    const before = i
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(label.charCodeAt(at++))
      if (digit >= BASE) return undefined
      i += digit * weight
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias))
      if (digit < threshold) break
      weight *= BASE - threshold
      if (weight > 0x7fffffff || i > 0x7fffffff) return undefined
    }
    bias = adapt(i - before, points.length + 1, before === 0)
    n += Math.floor(i / (points.length + 1))
    i %= points.length + 1
    if (n > 0x10ffff || (n >= 0xd800 && n <= 0xdfff)) return undefined
    points.splice(i++, 0, n)
  }
  return String.fromCodePoint(...points)
}
