import type { Json } from '../../../protocol/json.ts'
import { isArray } from '../../../protocol/json.ts'

/** Characters of one string that are kept: as many as the trace keeps. */
const STRING = 65_536
/** Characters of one message: all of it came by events of its own, where it was looked at whole. */
const MESSAGE = 262_144
/** Levels of nesting. */
const DEPTH = 64
/** What a number, a name or a bracket counts. */
const SMALL = 8

/** Members that hold what no one can read: proofs of the API that a thought is its own. */
const UNREADABLE: ReadonlySet<string> = new Set(['signature'])

/** What of a message is kept. Files in base64 go, and what is over the limits is cut; both are told in place. */
export const trimmedValue = (value: Json): Json => {
  let left = MESSAGE

  const text = (whole: string): string => {
    const keep = Math.min(STRING, Math.max(0, left))
    left -= SMALL + Math.min(whole.length, keep)
    if (whole.length <= keep) return whole
    const part = whole.slice(0, keep).replace(/[\ud800-\udbff]$/, '')
    return `${part}[sallyport left out ${whole.length - part.length} characters]`
  }

  const list = (items: readonly Json[], levels: number): Json => {
    const kept: Json[] = []
    for (const item of items) {
      if (left <= 0) return [...kept, `[sallyport left out ${items.length - kept.length} values]`]
      kept.push(lean(item, levels))
    }
    return kept
  }

  const lean = (one: Json, levels: number): Json => {
    if (typeof one === 'string') return text(one)
    left -= SMALL
    if (one === null || typeof one !== 'object') return one
    if (levels === 0) return '[sallyport left this out: nested too deeply]'
    if (isArray(one)) return list(one, levels - 1)
    const isFile = one['type'] === 'base64' && typeof one['data'] === 'string'
    const members: [string, Json][] = []
    for (const [name, member] of Object.entries(one)) {
      if (left <= 0) break
      if (UNREADABLE.has(name)) continue
      left -= name.length
      if (isFile && name === 'data')
        members.push([name, `[sallyport left out ${(member as string).length} characters of base64]`])
      else members.push([name, lean(member, levels - 1)])
    }
    return Object.fromEntries(members)
  }

  return lean(value, DEPTH)
}
