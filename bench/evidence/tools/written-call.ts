import type { JsonObject } from '../../../src/protocol/json.ts'

/**
 * A tool by its server's short name and its own, arguments such as people give it, and the targets among them as
 * `kind=value` (spaces as `_`), a space between two; `kind?=value` may be named or not.
 */
export type WrittenCall = readonly [tool: string, input: JsonObject, targets: string]
