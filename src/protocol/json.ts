/** A JSON value (RFC 8259) in Sallyport's form: read-only, no `undefined`, no dates. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object whose members are read-only. */
export interface JsonObject {
  readonly [member: string]: Json
}

/** Distinguishes a JSON object from arrays, null and scalars. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Distinguishes a JSON array; the elements stay unknown-typed JSON, unlike `Array.isArray`, which narrows to `any[]`.
 */
export const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
