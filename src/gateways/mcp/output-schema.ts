import { isJsonObject } from '../../protocol/fields.ts'
import type { Json } from '../../protocol/json.ts'

/** Keywords below which a place of the value has several schemas, or one that is elsewhere. */
const BRANCHING =
  /^(?:\$ref|\$dynamicRef|oneOf|anyOf|allOf|not|if|patternProperties|dependent\w+|prefixItems|contains|unevaluated\w+|uniqueItems|const|enum)$/
/** Keywords of a text that another text may break. */
const OF_TEXT = /^(?:const|enum|pattern|format|minLength|maxLength|contentEncoding|contentMediaType|contentSchema)$/

const has = (schema: Json, keywords: RegExp): boolean =>
  isJsonObject(schema) && Object.keys(schema).some((name) => keywords.test(name))

/**
 * Whether a value that fitted a schema still does after the text at these tokens was replaced by another text. Where
 * that cannot be shown without a validator, it does not.
 */
export const acceptsAnyText = (schema: Json | undefined, tokens: readonly string[]): boolean => {
  let place: Json | undefined = schema
  for (const token of tokens) {
    if (place === undefined || place === true) return true
    if (!isJsonObject(place) || has(place, BRANCHING)) return false
    const { properties, items, additionalProperties } = place
    const named = isJsonObject(properties) && Object.hasOwn(properties, token) ? properties[token] : undefined
    place = named ?? (/^\d+$/.test(token) && items !== undefined ? items : additionalProperties)
  }
  if (place === undefined || place === true) return true
  return isJsonObject(place) && !has(place, BRANCHING) && !has(place, OF_TEXT)
}
