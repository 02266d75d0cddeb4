import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../../protocol/json.ts'
import { giveToOwnerOf, makeFolder } from './ownership.ts'
import type { Scope } from './places.ts'
import { settingsText } from './settings-text.ts'

/** One settings file with the guard's own note on what it changed there. */
export interface SettingsFile {
  readonly scope: Scope
  readonly path: string
  /** Data folder of the guard, where the note and the copy of the file from before are kept. */
  readonly data: string
  /** Home of the person whose guard it is. */
  readonly home: string
}

/** What a change did: nothing, or a file written or taken away. */
export type Change = 'unchanged' | 'written' | 'removed'

/** The note: enough to give back the file from before to the byte. */
interface Note {
  readonly path: string
  /** Text before the first installation; null when there was no file. */
  readonly before: string | null
  /** Rights of the file before. */
  readonly mode: number | null
  /** SHA-256 of the text as we left it. */
  readonly after: string
  /** Whether `disableAllHooks: false` is ours. */
  readonly switchIsOurs: boolean
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Text of a file; `undefined` when there is none. */
export const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

const modeOf = (path: string): number | null => {
  try {
    return statSync(path).mode & 0o777
  } catch {
    return null
  }
}

/** The file behind a link, so that a person's linked settings stay linked. */
const target = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const writeAtomically = (path: string, text: string, mode: number): void => {
  const real = target(path)
  const part = `${real}.${randomBytes(6).toString('hex')}.tmp`
  writeFileSync(part, text, { mode, flag: 'wx' })
  chmodSync(part, mode)
  renameSync(part, real)
}

/** The machine's settings stay root's; all others are the person's, whoever runs this. */
const writeSettings = ({ scope, path, home }: SettingsFile, text: string, mode: number): void => {
  if (scope === 'managed') mkdirSync(dirname(path), { recursive: true })
  else makeFolder(home, dirname(path), 0o755)
  writeAtomically(path, text, mode)
  if (scope !== 'managed') giveToOwnerOf(home, [path])
}

const noteFile = ({ scope, path, data }: SettingsFile): string =>
  join(data, 'installed', `claude-code-${scope}-${sha256(path).slice(0, 12)}.json`)

const readNote = (file: SettingsFile): Note | undefined => {
  const text = readText(noteFile(file))
  return text === undefined ? undefined : (JSON.parse(text) as Note)
}

/** Only the owner may read a file that holds the token; the machine's settings have to be read by everyone. */
const modeFor = (scope: Scope, before: number | null): number => {
  if (scope === 'managed') return 0o644
  return (before ?? 0o600) & 0o700
}

const newNote = (file: SettingsFile, text: string | undefined, after: string): Note => {
  const old = readNote(file)
  const untouched = old !== undefined && text !== undefined && sha256(text) === old.after
  const settings = settingsText(file.path, text)
  if (untouched) return { ...old, after: sha256(after) }
  // Somebody else wrote to it since: what is theirs now is what has to be given back.
  const before =
    text === undefined ? null : settings.port === undefined ? text : settings.without(old?.switchIsOurs ?? false)
  return {
    path: file.path,
    before,
    mode: old?.mode ?? modeOf(file.path),
    after: sha256(after),
    switchIsOurs: old?.switchIsOurs ?? settings.member('disableAllHooks') === undefined,
  }
}

/** Puts the hooks into a settings file; a second time changes nothing. @throws SallyportError SP_SETTINGS_BROKEN */
export const addHooks = (file: SettingsFile, groups: ReadonlyMap<string, JsonObject>): Change => {
  const text = readText(file.path)
  const after = settingsText(file.path, text).with(groups)
  if (after === text) return 'unchanged'
  const note = newNote(file, text, after)
  makeFolder(file.home, dirname(noteFile(file)), 0o700)
  writeAtomically(noteFile(file), `${JSON.stringify(note, null, 2)}\n`, 0o600)
  giveToOwnerOf(file.home, [noteFile(file)])
  writeSettings(file, after, modeFor(file.scope, modeOf(file.path)))
  return 'written'
}

/** Takes the hooks out again; where nobody else wrote, to the byte. @throws SallyportError SP_SETTINGS_BROKEN */
export const removeHooks = (file: SettingsFile): Change => {
  const text = readText(file.path)
  if (text === undefined) return 'unchanged'
  const note = readNote(file)
  const settings = settingsText(file.path, text)
  const exact = note !== undefined && sha256(text) === note.after
  const before = exact ? note.before : settings.without(note?.switchIsOurs ?? false)
  if (before === text) return 'unchanged'
  if (before === null) rmSync(target(file.path))
  else writeSettings(file, before, note?.mode ?? modeOf(file.path) ?? 0o600)
  rmSync(noteFile(file), { force: true })
  return before === null ? 'removed' : 'written'
}
