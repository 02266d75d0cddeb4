import type { Edit, TextRange } from '../edit.ts'
import type { Json, JsonObject } from '../json.ts'
import { isArray, isObject } from '../json.ts'
import { valueAt, withValueAt } from '../json-pointer.ts'

/**
 * Where a part of a step's payload stands in the params of the request it came from; JSON pointers on both sides.
 * `value`: the same JSON. `texts`: the payload's text is these texts, joined by TEXT_BREAK. `inputs`: the payload's
 * object is this array of `{name, value}`.
 */
export type Place =
  | { readonly as: 'value'; readonly payload: string; readonly params: string }
  | { readonly as: 'texts'; readonly payload: string; readonly params: readonly string[] }
  | { readonly as: 'inputs'; readonly payload: string; readonly params: string }

/** Stands between the texts of several parts, so that a detector reads them as one. */
export const TEXT_BREAK = '\n'

/** Edits of several parts' joined text, as edits of the parts. */
const splitRanges = (texts: readonly string[], ranges: readonly TextRange[]): readonly (readonly TextRange[])[] => {
  const split: TextRange[][] = texts.map(() => [])
  let from = 0
  const bounds = texts.map((text) => {
    const start = from
    from += text.length + TEXT_BREAK.length
    return { start, end: start + text.length }
  })
  for (const { start, end, text } of ranges) {
    // The replacement goes where the range begins; a range that begins in a break belongs to the part before it.
    let said = text
    for (const [index, bound] of bounds.entries()) {
      const first = index === bounds.length - 1 || start < bound.end + TEXT_BREAK.length
      if (!first || (end <= bound.start && start < bound.start)) continue
      const local = {
        start: Math.min(Math.max(start, bound.start), bound.end) - bound.start,
        end: Math.min(Math.max(end, bound.start), bound.end) - bound.start,
        text: said,
      }
      said = ''
      if (local.start < local.end || local.text !== '') split[index]?.push(local)
      if (end <= bound.end) break
    }
  }
  return split
}

const replaced = (text: string, ranges: readonly TextRange[]): string => {
  let result = ''
  let from = 0
  for (const { start, end, text: by } of ranges) {
    result += text.slice(from, start) + by
    from = end
  }
  return result + text.slice(from)
}

const textAt = (params: Json, pointer: string): string => {
  const found = valueAt(params, pointer)
  return typeof found === 'string' ? found : ''
}

/** The parts after an edit of their joined text; a new text for the whole stands in the first, the others are empty. */
const editTexts = (texts: readonly string[], edit: Edit): readonly string[] | undefined => {
  if (edit.kind === 'ranges') {
    const split = splitRanges(texts, edit.ranges)
    return texts.map((text, index) => replaced(text, split[index] ?? []))
  }
  const { value } = edit
  return typeof value === 'string' ? texts.map((_, index) => (index === 0 ? value : '')) : undefined
}

/** The array of inputs after its object was edited: known names keep their place and all that stands beside them. */
const editInputs = (inputs: Json | undefined, object: Json | undefined): Json | undefined => {
  if (!isArray(inputs) || !isObject(object)) return undefined
  const left = new Map(Object.entries(object))
  const kept = inputs.flatMap((input) => {
    const name = isObject(input) ? input['name'] : undefined
    if (typeof name !== 'string') return [input]
    const value = left.get(name)
    left.delete(name)
    return value === undefined ? [] : [{ ...(input as JsonObject), value }]
  })
  return [...kept, ...[...left].map(([name, value]) => ({ name, value }))]
}

const covers = ({ payload }: Place, pointer: string): boolean =>
  pointer === payload || pointer.startsWith(`${payload}/`)

const editPlace = (params: Json, place: Place, edits: readonly Edit[], merged: Json): Json | undefined => {
  switch (place.as) {
    case 'value': {
      const value = valueAt(merged, place.payload)
      return value === undefined ? undefined : withValueAt(params, place.params, value)
    }
    case 'inputs': {
      const inputs = editInputs(valueAt(params, place.params), valueAt(merged, place.payload))
      return inputs === undefined ? undefined : withValueAt(params, place.params, inputs)
    }
    case 'texts': {
      const edit = edits.find(({ pointer }) => pointer === place.payload)
      const texts =
        edit &&
        editTexts(
          place.params.map((pointer) => textAt(params, pointer)),
          edit,
        )
      return texts?.reduce<Json | undefined>((so, text, index) => {
        const pointer = place.params[index]
        return so === undefined || pointer === undefined ? undefined : withValueAt(so, pointer, text)
      }, params)
    }
    default:
      return place satisfies never
  }
}

/**
 * The params after a step's edits: what the edits change is changed, all else is as it was. `undefined` when an edit
 * is to something that does not stand in the params.
 * @param merged the payload after the edits
 */
export const editParams = (
  params: JsonObject,
  places: readonly Place[],
  edits: readonly Edit[],
  merged: Json,
): JsonObject | undefined => {
  let result: Json | undefined = params
  if (!edits.every(({ pointer }) => places.some((place) => covers(place, pointer)))) return undefined
  for (const place of places) {
    const mine = edits.filter(({ pointer }) => covers(place, pointer))
    if (mine.length === 0) continue
    result = editPlace(result, place, mine, merged)
    if (result === undefined) return undefined
  }
  return result as JsonObject
}
