import type { ParseError } from 'unbash'
import { type Frame, howUnread, placeOf } from '../engine/frame.ts'

/** Prefix of the parser's message about text nested too deeply. */
const TOO_DEEP = /^maximum .* nesting depth exceeded$/

/**
 * Records parser errors. Text that is only possibly for a shell need not match its grammar, so there they are not a
 * gap.
 */
export const emitErrors = (errors: readonly ParseError[] | undefined, frame: Frame): void => {
  if (errors === undefined) return
  const mayBeNoShell = frame.possible && frame.depth === 0
  const reported = new Set<string>()
  for (const { message, pos } of errors) {
    const how = TOO_DEEP.test(message) ? 'depth' : howUnread(frame)
    if (reported.has(how)) continue
    reported.add(how)
    const place = placeOf(frame, { pos, end: pos + 1 })
    if (mayBeNoShell && how !== 'depth')
      frame.engine.emit({ kind: 'unresolved', by: 'shell', targets: [{ type: 'unknown', raw: message }] }, place)
    else frame.engine.gap(how, message, 'shell', place)
  }
}
