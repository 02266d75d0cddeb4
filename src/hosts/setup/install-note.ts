import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../protocol/json.ts'
import { giveToOwnerOf, makeFolder } from './ownership.ts'
import { readText, writeAtomically } from './text-file.ts'

/** Where the note of one installation lies. */
export interface NotePlace {
  /** What was installed: the host, and the scope where there are several. */
  readonly name: string
  /** The host's file that was changed, absolute. */
  readonly path: string
  /** Data folder of the guard; the guard that runs there knows by the note that the file is its own. */
  readonly data: string
  /** Home of the person whose guard it is. */
  readonly home: string
}

/** The note: enough to give back the file from before to the byte. */
export interface InstallNote {
  readonly path: string
  /** Text before the first installation; null when there was no file. */
  readonly before: string | null
  /** Rights of the file before. */
  readonly mode: number | null
  /** SHA-256 of the text as we left it. */
  readonly after: string
}

/** SHA-256 of a text, in hex. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const noteFile = ({ name, path, data }: NotePlace): string =>
  join(data, 'installed', `${name}-${sha256(path).slice(0, 12)}.json`)

/** The note of an installation, as far as it was written by us; `undefined` when there is none. */
export const readNote = (place: NotePlace): InstallNote | undefined => {
  const text = readText(noteFile(place))
  return text === undefined ? undefined : (JSON.parse(text) as InstallNote)
}

/** Keeps a note, for nobody but the person to read: the file from before may hold secrets. */
export const writeNote = (place: NotePlace, note: InstallNote & JsonObject): void => {
  const file = noteFile(place)
  makeFolder(place.home, dirname(file), 0o700)
  writeAtomically(file, `${JSON.stringify(note, null, 2)}\n`, 0o600)
  giveToOwnerOf(place.home, [file])
}

/** Takes a note along to another data folder. */
export const moveNote = (from: NotePlace, to: NotePlace): void => {
  const note = readNote(from)
  if (note === undefined || from.data === to.data) return
  writeNote(to, { ...note })
  dropNote(from)
}

/** The installation is undone. */
export const dropNote = (place: NotePlace): void => {
  rmSync(noteFile(place), { force: true })
}
