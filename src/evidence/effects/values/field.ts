import { EMPTY, type Value, concat, isKnown, known } from './value.ts'

/** One word of a command after all expansions except that of file names. */
export interface Field extends Value {
  /** Has unquoted pattern characters. */
  readonly glob: boolean
  /** As written. */
  readonly raw: string
}

export const literal = (text: string): Field => ({ ...known(text), glob: false, raw: text })

export const fieldOf = (value: Value, raw: string, glob = false): Field => ({
  ...value,
  raw,
  glob: glob || value.glob === true,
})

/** The only text a field can have, or undefined. */
export const textOf = (field: Value | undefined): string | undefined =>
  field !== undefined && field.texts.length === 1 ? field.texts[0] : undefined

/** The known text, for reading flags and names. */
export const visible = (field: Field): string => (isKnown(field) ? (field.texts[0] ?? '') : field.prefix)

/** The texts of these fields, as far as they are known. */
export const visibleWords = (fields: readonly Field[]): readonly string[] => fields.map(visible)

/** Fields as targets of effects that only have a name. */
export const resourcesOf = (
  fields: readonly Field[],
): readonly { readonly type: 'resource'; readonly name: string }[] =>
  fields.map((field) => ({ type: 'resource', name: visible(field) }))

/** Fields as one text, separated by blanks. */
export const joined = (fields: readonly Field[]): Value =>
  fields.reduce<Value>((all, one, at) => (at === 0 ? one : concat(concat(all, known(' ')), one)), EMPTY)
