import { isArray } from '../../protocol/json.ts'
import type { Json } from '../../protocol/json.ts'

/** Values and names of one call that are taken in. */
const MOST = 4_096

/** Everything in an input: its texts, and all of its names and all of its numbers as one text each. */
export const saidIn = (root: Json): readonly string[] => {
  const texts: string[] = []
  const names: string[] = []
  const numbers: number[] = []
  const open: Json[] = [root]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (texts.length + names.length + numbers.length > MOST) break
    if (typeof next === 'string') texts.push(next)
    else if (typeof next === 'number') numbers.push(next)
    else if (isArray(next)) open.push(...next.slice(0, MOST).toReversed())
    else if (typeof next === 'object' && next !== null) {
      names.push(...Object.keys(next).slice(0, MOST))
      open.push(...Object.values(next).slice(0, MOST).toReversed())
    }
  }
  return [...texts, names.join(' '), numbers.join(',')].filter((text) => text !== '')
}
