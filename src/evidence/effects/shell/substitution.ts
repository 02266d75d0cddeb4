import type { Statement } from 'unbash'
import type { Engine } from '../engine.ts'
import { NO_FLOW, type Value, known, unknown, withFlow } from '../value.ts'
import { type Frame, placeOf } from './frame.ts'
import { fork } from './state.ts'
import type { WordHost } from './words.ts'

/** Variables whose value on this machine is a path or a name and no secret. */
const ASKED =
  /^(?:TMPDIR|TMP|TEMP|USER|LOGNAME|SHELL|OLDPWD|EDITOR|XDG_\w+|CLAUDE_PROJECT_DIR|CLAUDE_CONFIG_DIR|\w+_(?:DIR|HOME|ROOT|PREFIX|FOLDER))$/
/** Where not set, programs take `/tmp`. */
const TEMPORARY = /^(?:TMPDIR|TMP|TEMP)$/
const SECRET_NAME =
  /(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL|_PAT$|_PWD$|_AUTH$|DATABASE_URL|CONNECTION_STRING|DSN$)/i

/** Whether a variable's name says that its value is a secret. */
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

/** The word host of a frame: substitutions run in subshells of its state. */
export const createWordHost = (frame: Frame): WordHost => ({
  state: frame.state,
  home: frame.engine.paths.home,
  environment: (name) => environmentValue(frame.engine, name),
  spend: (nodes) => frame.engine.spend(nodes),
  substitute: (part) => {
    if (part.script === undefined) return unknown()
    const nested =
      part.script.source === undefined ? { ...frame, depth: frame.depth + 1 } : inner(frame, part.pos, part.end)
    return runSubstitution(part.script, nested)
  },
  processPath: (part) => {
    if (part.script === undefined) return unknown()
    const nested = { ...frame, depth: frame.depth + 1 }
    const content = runSubstitution(part.script, nested)
    const path = `/dev/fd/sub-${part.pos}-${frame.depth}-${frame.engine.scratch.files.size}`
    frame.engine.scratch.files.set(path, content)
    return part.operator === '<' ? known(path, content.flow) : known(path)
  },
})

const runSubstitution = (
  script: {
    readonly commands: readonly Statement[]
    readonly errors?: readonly { readonly message: string }[] | undefined
  },
  frame: Frame,
): Value => {
  if (frame.depth > frame.engine.maxDepth * 4) {
    frame.engine.exhaust()
    return unknown()
  }
  for (const error of script.errors ?? [])
    frame.engine.emit(
      { kind: 'unresolved', by: 'shell', targets: [{ type: 'unknown', raw: error.message }] },
      placeOf(frame, { pos: 0, end: 0 }),
    )
  return frame.runner.statements(script.commands, { ...frame, state: fork(frame.state), piped: true, feeds: undefined })
}
