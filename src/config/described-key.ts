import * as z from 'zod/mini'

/** Puts the sentence of docs/config.md on a key. */
export const described = <T extends z.core.$ZodType>(description: string, schema: T): T => {
  z.globalRegistry.add(schema, { description })
  return schema
}

/** A whole number above nothing. */
export const positive = (description: string, fallback: number) =>
  described(description, z._default(z.int().check(z.positive()), fallback))
