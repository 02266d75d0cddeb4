/** A piece of a text as it reads once it is unwrapped, with the way back. */
export interface View {
  readonly text: string
  /**
   * Where a stretch of the view lies in the text it was made from; nothing when unwrapping had no part in it, so that
   * the text itself has shown it already.
   */
  origin(start: number, end: number): readonly [start: number, end: number] | undefined
}
