import type { EffectTrait } from '../../../protocol/evidence.ts'
import type { Place } from '../engine/engine.ts'
import type { PathTarget } from '../places/paths.ts'
import { holdsSessions, isHomeCredential, isScriptFile } from '../places/sensitive-paths.ts'
import { isWide, picksSecrets, SEARCHED, searchesSecrets } from '../places/secret-search.ts'
import { mayShowToken } from '../places/token-search.ts'
import { analyseLater } from '../dispatch/analyse-code.ts'
import { emitWritten } from '../engine/files.ts'
import type { ToolUse } from './tool.ts'

const expandHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? home + path.slice(1) : path

/** The target of a path as file tools take it: `~` is the home folder, links are followed. */
const contentAt = ({ engine: { paths } }: ToolUse, path: string): PathTarget =>
  paths.resolve(expandHome(path, paths.home), paths.cwd, 'content')

/** Whether reading a file shows a secret. */
export const isSecret = ({ engine: { guard } }: Pick<ToolUse, 'engine'>, target: PathTarget): boolean =>
  target.zone === 'credential' || target.zone === 'dotenv' || guard.secretsAt(target, false).length > 0

const emitSessions = (use: ToolUse, place: Place): void =>
  use.engine.emit(
    { kind: 'secret.read', by: use.tool.name, targets: [{ type: 'resource', name: "agents' sessions" }] },
    place,
  )

/** Emits that a tool reads a file; returns its target if that is a secret. */
export const emitRead = (use: ToolUse, place: Place, path: string): PathTarget | undefined => {
  const target = contentAt(use, path)
  const by = use.tool.name
  use.engine.emit({ kind: 'fs.read', by, targets: [target] }, place)
  if (holdsSessions(target.path)) emitSessions(use, place)
  if (!isSecret(use, target)) return undefined
  use.engine.emit({ kind: 'secret.read', by, targets: [target] }, place)
  return target
}

/** Emits that a tool lists a folder. */
export const emitList = (use: ToolUse, place: Place, path: string): void =>
  use.engine.emit({ kind: 'fs.list', by: use.tool.name, targets: [contentAt(use, path)] }, place)

/** A search that shows lines consisting of a random token shows the guard's tokens, if they are below its path. */
const emitShown = (use: ToolUse, target: PathTarget): void => {
  const pattern = use.text('pattern')
  if (pattern !== undefined && !mayShowToken([pattern])) return
  const targets = use.engine.guard.secretsAt(target, true)
  if (targets.length > 0) use.engine.emit({ kind: 'secret.read', by: use.tool.name, targets }, use.at('path'))
}

/** A search for keys and passwords in all files of a person, or in other sessions of agents. */
const emitSecretSearch = (use: ToolUse, folder: PathTarget, showsLines: boolean): void => {
  const pattern = use.text('pattern') ?? ''
  if (
    showsLines
      ? searchesSecrets(pattern) && (isWide(folder) || holdsSessions(folder.path))
      : isWide(folder) && picksSecrets(pattern)
  )
    use.engine.emit({ kind: 'secret.read', by: use.tool.name, targets: [SEARCHED] }, use.at('pattern'))
}

/** Emits the effects of a list of the files that fit a pattern, below a folder. */
export const emitPick = (use: ToolUse, path: string): void => {
  emitList(use, use.at('path'), path)
  emitSecretSearch(use, contentAt(use, path), false)
}

/**
 * Emits the effects of a search at the call's `path`: one that shows lines of a file reads it; its `glob` may select
 * secrets.
 */
export const emitSearch = (use: ToolUse, path: string, showsLines: boolean): void => {
  const { zone, path: real } = contentAt(use, path)
  const isFile = use.engine.paths.world.pathKind(real) === 'file'
  if (isFile || zone === 'credential' || zone === 'dotenv') emitRead(use, use.at('path'), path)
  else emitList(use, use.at('path'), path)
  if (showsLines) emitShown(use, contentAt(use, path))
  if (showsLines) emitSecretSearch(use, contentAt(use, path), true)
  const glob = use.text('glob')
  if (glob === undefined || !showsLines) return
  const picked = contentAt(use, `${path}/${glob}`)
  if (picked.zone === 'credential' || picked.zone === 'dotenv')
    for (const kind of ['fs.read', 'secret.read'] as const)
      use.engine.emit({ kind, by: use.tool.name, targets: [picked] }, use.at('glob'))
}

/**
 * Emits the write of a file by a tool, and the effects of its content; `undefined` is unknown content, `whole` that
 * nothing of the earlier content is left.
 */
export const emitWrite = (
  use: ToolUse,
  place: Place,
  path: string,
  texts: readonly string[] | undefined,
  whole = false,
): void => {
  const target = contentAt(use, path)
  const by = use.tool.name
  const traits: EffectTrait[] = isScriptFile(target.path) ? ['script'] : []
  const { home } = use.engine.paths
  if (whole && target.path.startsWith(`${home}/`) && isHomeCredential(target.path.slice(home.length + 1).toLowerCase()))
    traits.push('replace')
  use.engine.emit(
    { kind: target.zone === 'device' ? 'device.write' : 'fs.write', by, targets: [target], traits },
    place,
  )
  const written = { texts: texts ?? [], unseen: texts === undefined }
  emitWritten(use.engine, place, by, [target], written, (code, engine) => analyseLater(code, place, engine))
}

/** Emits the deletion of a file by a tool, not of a link's target. */
export const emitDelete = (use: ToolUse, place: Place, path: string): void => {
  const { paths } = use.engine
  const target = paths.resolve(expandHome(path, paths.home), paths.cwd, 'entry')
  use.engine.emit({ kind: 'fs.delete', by: use.tool.name, targets: [target] }, place)
}
