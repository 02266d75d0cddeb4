import type { ParseError, Statement } from 'unbash'
import type { Engine } from '../engine/engine.ts'
import { NO_FLOW, type Value, known, unknown, withFlow } from '../values/value.ts'
import { type Frame, isTooDeep, placeOf } from '../engine/frame.ts'
import { emitErrors } from './gaps.ts'
import { fork } from '../engine/state.ts'
import type { WordHost } from './word-host.ts'

/** Variables whose value on this machine is a path or a name, not a secret. */
const ASKED =
  /^(?:TMPDIR|TMP|TEMP|USER|LOGNAME|SHELL|OLDPWD|EDITOR|XDG_\w+|CLAUDE_PROJECT_DIR|CLAUDE_CONFIG_DIR|\w+_(?:DIR|HOME|ROOT|PREFIX|FOLDER))$/
/** If it is unset, programs use `/tmp`. */
const TEMPORARY = /^(?:TMPDIR|TMP|TEMP)$/
const SECRET_NAME =
  /(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL|_PAT$|_PWD$|_AUTH$|DATABASE_URL|CONNECTION_STRING|DSN$)/i

/** Whether a variable's name means a secret value. */
const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

const environmentValue = (engine: Engine, name: string): Value => {
  if (isSecretName(name))
    return withFlow(unknown(undefined, true), { secrets: [{ type: 'resource', name: `env:${name}` }] })
  const value = ASKED.test(name) ? engine.paths.world.env(name) : undefined
  if (value !== undefined) return known(value)
  return TEMPORARY.test(name)
    ? { ...unknown({ ...NO_FLOW, settings: true }), prefix: '/tmp' }
    : unknown(undefined, true)
}

const inner = (frame: Frame, pos: number, end: number): Frame => ({
  ...frame,
  span: placeOf(frame, { pos, end }).span ?? { pointer: frame.pointer, start: pos, end },
  depth: frame.depth + 1,
})

/** For text of a value that is read as code, which has no position in the command. */
const again = (frame: Frame): Frame => {
  const { span } = placeOf(frame, { pos: 0, end: frame.length })
  return {
    ...frame,
    ...(span ? { span } : {}),
    state: fork({ ...frame.state, stdin: undefined }),
    possible: true,
    depth: frame.depth + 1,
    feeds: undefined,
  }
}

/** The word host of a frame: substitutions run in subshells of its state. */
export const createWordHost = (frame: Frame): WordHost => ({
  state: frame.state,
  home: frame.engine.paths.home,
  environment: (name) => environmentValue(frame.engine, name),
  spend: (nodes) => frame.engine.spend(nodes),
  descend: (part, work) => frame.engine.descend(work, unknown(), 'shell', placeOf(frame, part)),
  expand: (text) => {
    if (!/\$[({]|`/.test(text)) return
    const lines = new Set(text.split('\n'))
    let mark = 'END'
    while (lines.has(mark)) mark += '_'
    frame.runner.text(`:<<${mark}\n${text}\n${mark}`, again(frame))
  },
  code: (text) => void frame.runner.text(text, again(frame)),
  unread: (part) => frame.engine.gap('depth', part.text, 'shell', placeOf(frame, part)),
  tooLong: (part) => frame.engine.gap('budget', part.text, 'shell', placeOf(frame, part)),
  exhaust: () => frame.engine.exhaust(),
  substitute: (part) => {
    if (part.script === undefined) {
      frame.engine.gap('depth', part.text, 'shell', placeOf(frame, part))
      return unknown()
    }
    const nested =
      part.script.source === undefined ? { ...frame, depth: frame.depth + 1 } : inner(frame, part.pos, part.end)
    return runSubstitution(part.script, nested)
  },
  processPath: (part) => {
    if (part.script === undefined) {
      frame.engine.gap('depth', part.text, 'shell', placeOf(frame, part))
      return unknown()
    }
    // What is written into it is not followed.
    const { stdin = part.operator === '>' ? unknown({ ...NO_FLOW, local: true }) : undefined } = frame.state
    const nested = { ...frame, state: { ...frame.state, stdin }, depth: frame.depth + 1 }
    const content = runSubstitution(part.script, nested)
    const path = `/dev/fd/sub-${part.pos}-${frame.depth}-${frame.engine.scratch.files.size}`
    frame.engine.scratch.files.set(path, content)
    return part.operator === '<' ? known(path, content.flow) : known(path)
  },
})

const runSubstitution = (
  script: {
    readonly commands: readonly Statement[]
    readonly errors?: readonly ParseError[] | undefined
  },
  frame: Frame,
): Value => {
  if (isTooDeep(frame, 'shell', placeOf(frame, { pos: 0, end: 0 }))) return unknown()
  emitErrors(script.errors, frame)
  return frame.runner.statements(script.commands, { ...frame, state: fork(frame.state), piped: true, feeds: undefined })
}
