import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../protocol/json.ts'

/** A field that is not what the event needs. `pointer` is a JSON pointer (RFC 6901) into the event. */
export interface FieldFault {
  readonly pointer: string
  readonly expected: string
}

/**
 * Reads the fields of one event. A field that is missing or mistyped yields an empty value and is remembered; the
 * caller looks at `fault()` once, after reading all it needs. Fields that nobody reads may be anything.
 */
export interface Fields {
  string(name: string): string
  /** A string that is not empty: names and ids. */
  name(name: string): string
  optionalString(name: string): string | undefined
  boolean(name: string, otherwise: boolean): boolean
  object(name: string): JsonObject
  optionalObject(name: string): Fields | undefined
  /** Each element as fields of its own; elements that are no objects are faults. */
  objects(name: string): readonly Fields[]
  /** Any JSON value; null when absent. */
  any(name: string): Json
  /** Every field but those named. */
  rest(known: ReadonlySet<string>): JsonObject
  fault(): FieldFault | undefined
}

/** Fields of a parsed JSON object; `at` is the pointer of that object. */
export const fieldsOf = (body: JsonObject, at = '', faults: FieldFault[] = []): Fields => {
  const value = (name: string): Json | undefined => (Object.hasOwn(body, name) ? body[name] : undefined)
  const place = (name: string): string => `${at}/${name}`
  const miss = <T>(name: string, expected: string, instead: T): T => {
    faults.push({ pointer: place(name), expected })
    return instead
  }
  return Object.freeze({
    string(name: string): string {
      const found = value(name)
      return typeof found === 'string' ? found : miss(name, 'a string', '')
    },
    name(name: string): string {
      const found = value(name)
      return typeof found === 'string' && found !== '' ? found : miss(name, 'a string that is not empty', '')
    },
    optionalString(name: string): string | undefined {
      const found = value(name)
      if (found === undefined || found === null) return undefined
      return typeof found === 'string' ? found : miss(name, 'a string or absent', undefined)
    },
    boolean(name: string, otherwise: boolean): boolean {
      const found = value(name)
      if (found === undefined || found === null) return otherwise
      return typeof found === 'boolean' ? found : miss(name, 'true, false or absent', otherwise)
    },
    object(name: string): JsonObject {
      const found = value(name)
      return isJsonObject(found) ? found : miss(name, 'an object', {})
    },
    optionalObject(name: string): Fields | undefined {
      const found = value(name)
      if (found === undefined || found === null) return undefined
      return isJsonObject(found) ? fieldsOf(found, place(name), faults) : miss(name, 'an object or absent', undefined)
    },
    objects(name: string): readonly Fields[] {
      const found = value(name)
      if (!Array.isArray(found)) return miss(name, 'an array', [])
      return (found as readonly Json[]).map((element, index) =>
        isJsonObject(element)
          ? fieldsOf(element, `${place(name)}/${index}`, faults)
          : fieldsOf({}, miss(`${name}/${index}`, 'an object', place(name)), faults),
      )
    },
    any: (name: string): Json => value(name) ?? null,
    rest: (known: ReadonlySet<string>): JsonObject =>
      Object.fromEntries(Object.entries(body).filter(([name]) => !known.has(name))),
    fault: () => faults[0],
  })
}

/** Tells a JSON object among JSON values. */
export const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value)
