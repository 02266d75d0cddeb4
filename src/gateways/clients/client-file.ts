import { isUtf8 } from 'node:buffer'
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { SallyportError } from '../../errors/errors.ts'
import { dropNote, readNote, sha256, writeNote } from '../../hosts/setup/install-note.ts'
import type { InstallNote, NotePlace } from '../../hosts/setup/install-note.ts'
import { giveToOwnerOf, personOf } from '../../hosts/setup/ownership.ts'
import { writeAtomically } from '../../hosts/setup/text-file.ts'
import { unwrapServers, wrapServers } from './client-text.ts'
import type { Original, Rewritten, ServerReport } from './client-text.ts'
import type { Wrapping } from './wrapping.ts'

/** A file in which an MCP client has its servers. */
export interface ClientFile {
  /** Absolute. */
  readonly path: string
  /** Folder of a repository, whose links must not lead elsewhere. */
  readonly within?: string
}

/** Whose file it is, and what shall be done. */
export interface FileJob {
  readonly file: ClientFile
  readonly wrapping: Wrapping
  readonly home: string
  /** Report what would be done, and do nothing. */
  readonly isDry: boolean
}

/** What was done with a file. */
export interface FileChange {
  /** `absent`: there is no file. `restored`: it has the bytes that it had before the installation. */
  readonly change: 'absent' | 'unchanged' | 'written' | 'restored'
  readonly servers: readonly ServerReport[]
}

/** Larger than any client's file. */
const MOST_BYTES = 64 * 1024 * 1024
/** Times that another program may write the file first. */
const MOST_TRIES = 5

type Note = InstallNote & { readonly originals: readonly Original[] }

const refusal = (path: string, detail: string, remedy: string): SallyportError =>
  new SallyportError('SP_CLIENT_FILE', { path, detail, remedy })

const notePlace = ({ file: { path }, wrapping: { data }, home }: FileJob): NotePlace => ({
  name: 'mcp',
  path,
  data,
  home,
})

/** A file as it was read. */
interface Read {
  /** With links resolved. */
  readonly real: string
  readonly text: string
  readonly mode: number
}

const readPlain = ({ path, within }: ClientFile): Read | undefined => {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw refusal(path, 'it is a link to a file that does not exist', 'Remove the link.')
  const real = realpathSync(path)
  if (within !== undefined && !real.startsWith(join(realpathSync(within), sep)))
    throw refusal(path, `it is a link out of the project, to ${real}`, 'Replace it with a regular file.')
  if (!stat.isFile() || stat.size > MOST_BYTES)
    throw refusal(path, stat.isFile() ? 'it is too large' : 'it is no regular file', 'Replace it.')
  const bytes = readFileSync(real)
  if (!isUtf8(bytes)) throw refusal(path, 'it is not UTF-8', 'Save it as UTF-8.')
  return { real, text: bytes.toString('utf8'), mode: stat.mode & 0o777 }
}

/** The text of a client's file; `undefined` when there is none. @throws SallyportError SP_CLIENT_FILE */
export const readClientFile = (file: ClientFile): Read | undefined => {
  try {
    return readPlain(file)
  } catch (error) {
    if (error instanceof SallyportError) throw error
    throw refusal(file.path, `it cannot be read (${String(error)})`, 'Check it, and the rights of its folder.')
  }
}

/** Files of others, and those that their owner wants unchanged, are not ours to write. */
const refuseToWrite = ({ real, mode }: Read, { file: { path }, home }: FileJob): void => {
  const person = personOf(home)
  if (person !== undefined && statSync(real).uid !== person)
    throw refusal(path, 'it belongs to another user', 'Do this as that user, or have them change it.')
  if ((mode & 0o222) === 0) throw refusal(path, 'it is read-only', 'Make it writable, or change it where it is made.')
}

const write = ({ real, text, mode }: Read, after: string, { file: { path }, home }: FileJob): boolean => {
  // A running client may have written since.
  if (readFileSync(real, 'utf8') !== text) return false
  try {
    writeAtomically(real, after, mode)
    giveToOwnerOf(home, [real])
  } catch (error) {
    throw refusal(path, `it cannot be written (${String(error)})`, 'Check the rights of its folder.')
  }
  return true
}

/** What a try to change the file came to; `undefined`: another program was first. */
type Try = (read: Read, note: Note | undefined) => FileChange | undefined

const attempt = (job: FileJob, once: Try): FileChange => {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const read = readClientFile(job.file)
    if (read === undefined) return { change: 'absent', servers: [] }
    const done = once(read, readNote(notePlace(job)) as Note | undefined)
    if (done !== undefined) return done
  }
  throw refusal(job.file.path, 'another program keeps writing it', 'Close the client, then run the command again.')
}

/**
 * Puts the gateway in front of the servers of a file; a second time changes nothing.
 * @throws SallyportError SP_SETTINGS_BROKEN, SP_CLIENT_FILE
 */
export const wrapFile = (job: FileJob): FileChange =>
  attempt(job, (read, note) => {
    const { text, servers, originals } = wrapServers(job.file.path, read.text, job.wrapping, note?.originals)
    const isSame = text === read.text
    if (!isSame) refuseToWrite(read, job)
    if (job.isDry || (isSame && (note !== undefined || originals.length === 0)))
      return { change: isSame ? 'unchanged' : 'written', servers }
    // Others may have written since an earlier installation: theirs is the text to restore.
    const before = unwrapServers(job.file.path, read.text, job.wrapping, note?.originals ?? []).text
    const fresh = { path: job.file.path, before, mode: note?.mode ?? read.mode, after: sha256(text), originals }
    writeNote(notePlace(job), fresh)
    if (isSame) return { change: 'unchanged', servers }
    return write(read, text, job) ? { change: 'written', servers } : undefined
  })

/**
 * Takes the gateway out of a file: where nobody else has written since, by the bytes that it had before.
 * @throws SallyportError SP_SETTINGS_BROKEN, SP_CLIENT_FILE
 */
export const unwrapFile = (job: FileJob): FileChange =>
  attempt(job, (read, note) => {
    const { text, servers }: Rewritten = unwrapServers(job.file.path, read.text, job.wrapping, note?.originals ?? [])
    const isExact = note?.before != null && sha256(read.text) === note.after
    const before = isExact ? note.before : text
    if (before === read.text) {
      if (!job.isDry) dropNote(notePlace(job))
      return { change: 'unchanged', servers }
    }
    const done: FileChange = { change: isExact ? 'restored' : 'written', servers }
    refuseToWrite(read, job)
    if (job.isDry) return done
    if (!write(read, before, job)) return undefined
    dropNote(notePlace(job))
    return done
  })
