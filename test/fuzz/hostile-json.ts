import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { isArray } from '../../src/protocol/json.ts'
import { isJsonObject } from '../../src/protocol/fields.ts'
import { escapeToken, valueAt, withValueAt } from '../../src/protocol/json-pointer.ts'
import { hostileTexts } from './hostile-texts.ts'
import { HIDDEN, INJECTIONS, PERSONAL, SECRETS, SHELL, URLS } from './pieces.ts'

const texts = hostileTexts([...SHELL, ...INJECTIONS, ...SECRETS, ...PERSONAL, ...HIDDEN, ...URLS])

/** Values of every kind, for the places of fields. */
export const anyValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: texts },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(null, false, -0, 1e308, [], {}, [[[[]]]], { a: { b: [{ c: '\ud800' }] } }),
  },
)

/** Every place of a value, with its pointer. */
const placesIn = (value: Json, at = ''): readonly string[] => {
  if (isArray(value)) return [at, ...value.flatMap((item, index) => placesIn(item, `${at}/${index}`))]
  if (!isJsonObject(value)) return [at]
  return [at, ...Object.keys(value).flatMap((name) => placesIn(value[name] ?? null, `${at}/${escapeToken(name)}`))]
}

/** One way to spoil the value at a place. */
type Spoil = (value: Json, stranger: Json) => Json

const SPOILS: readonly Spoil[] = [
  (_value, stranger) => stranger,
  () => null,
  (value) => [value],
  (value) => (isArray(value) ? [...value, ...value] : { value }),
  (value, stranger) => (isJsonObject(value) ? { ...value, ['__proto__']: stranger } : [stranger, value]),
  (value) => (isJsonObject(value) ? Object.fromEntries(Object.entries(value).slice(1)) : JSON.stringify(value)),
]

/** Sound objects, and the same with some of their parts replaced, doubled, taken away or wrapped; never the root. */
export const spoiltJson = (sound: readonly JsonObject[]): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      fc.nat(Math.max(0, sound.length - 1)),
      fc.array(fc.tuple(fc.nat(10_000), fc.nat(SPOILS.length - 1), anyValue), { maxLength: 4 }),
    )
    .map(([number, spoils]) => {
      let value = sound[number] ?? {}
      for (const [place, spoil, stranger] of spoils) {
        const places = placesIn(value).slice(1)
        const pointer = places[place % places.length]
        if (pointer === undefined) continue
        const spoilt = SPOILS[spoil]?.(valueAt(value, pointer) ?? null, stranger) ?? null
        const next = withValueAt(value, pointer, spoilt)
        if (isJsonObject(next)) value = next
      }
      return value
    })
