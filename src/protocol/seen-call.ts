import type { JsonObject } from './json.ts'
import type { Direction, ToolRef } from './step.ts'

/** A call that was let through, kept until its result comes: results name their call only by its id. */
export interface SeenCall {
  readonly direction: Direction
  /** Set for calls of tools. */
  readonly call?: { readonly tool: ToolRef; readonly input: JsonObject }
}
