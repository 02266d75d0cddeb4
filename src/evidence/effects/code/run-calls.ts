import type { Target } from '../../../protocol/evidence.ts'
import { type Value, isKnown, unknown } from '../value.ts'
import type { Result } from './expression.ts'
import { type LibraryCall, type Reading, toField } from './reading.ts'

/** Runs a program with its arguments, or shell code where they are one text. */
export const runList = (reading: Reading, args: readonly Result[]): void => {
  const { frame, place, by } = reading
  const first = args[0]
  const list = first?.items
  const run = { place, environment: new Map<string, Value>(), network: false }
  if (list !== undefined) {
    frame.runner.argv(list.map(toField), frame, run)
    return
  }
  const rest = args[1]?.items
  const text = first?.value ?? unknown()
  const separate =
    rest ?? (args.length > 1 && args.slice(1).every((arg) => isKnown(arg.value)) ? args.slice(1) : undefined)
  const whole = isKnown(text) && /\s/.test(text.texts[0] ?? '')
  if (separate !== undefined && !whole && separate.length > 0) {
    const shown = /^(?:execlp?e?|spawnlp?e?|execvp?e?)$/.test(by) ? separate.slice(1) : separate
    frame.runner.argv([toField(first), ...shown.map(toField)], frame, run)
    return
  }
  runShellText(reading, text)
}

/** Runs text as shell code. */
export const runShellText = ({ frame, place, by }: Reading, text: Value): void => {
  if (text.flow.network) frame.engine.emit({ kind: 'exec.remote', by }, place)
  if (text.flow.decoded) frame.engine.emit({ kind: 'exec.decoded', by }, place)
  for (const one of text.texts) frame.runner.text(one, frame)
  if (isKnown(text)) return
  const target: Target = { type: 'unknown', raw: 'command' }
  const known = text.prefix.trim() === '' ? undefined : text.prefix
  if (known !== undefined) frame.runner.text(`${known}"$SALLYPORT_UNKNOWN"`, frame)
  else frame.engine.emit({ kind: 'exec.run', by, targets: [target] }, place)
  frame.engine.emit({ kind: 'unresolved', by, targets: [target] }, place)
}

/** Runs text as code of the same language. */
export const evalCode = (reading: Reading, text: Value): void => {
  const { frame, place, by } = reading
  if (text.flow.network) frame.engine.emit({ kind: 'exec.remote', by }, place)
  if (text.flow.decoded) frame.engine.emit({ kind: 'exec.decoded', by }, place)
  if (!isKnown(text) && !text.flow.network && !text.flow.decoded)
    frame.engine.emit({ kind: 'unresolved', by, targets: [{ type: 'unknown', raw: 'code' }] }, place)
  for (const one of text.texts) reading.code(one)
}

/** Ends a process. */
export const endProcess = (reading: Reading, { row, args }: LibraryCall): void => {
  const { frame, place, by } = reading
  const pid = Number(args[row.argument ?? 0]?.value.texts[0] ?? Number.NaN)
  const name = Number.isNaN(pid) ? 'unresolved' : `pid:${pid}`
  frame.engine.emit({ kind: 'process.kill', by, targets: [{ type: 'resource', name }] }, place)
  if (frame.engine.guard.isPid(Math.abs(pid))) frame.engine.emit({ kind: 'guard.tamper', by }, place)
}
