import { createHmac, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { createBoundedMap } from '../../bounded/bounded-map.ts'
import { MOST_READ } from '../../protocol/world.ts'
import type { PathKind, World } from '../../protocol/world.ts'

const MAX_NAMES = 10_000

const answer = <T>(ask: () => T, otherwise: T): T => {
  try {
    return ask()
  } catch {
    return otherwise
  }
}

/** What is at a path, without following a last link. Asked so that an absent path costs no exception. */
const statsOf = (path: string): Stats | undefined => answer(() => lstatSync(path, { throwIfNoEntry: false }), undefined)

/** Links that may lead to links: as many as Linux follows. */
const MAX_LINKS = 40

/** Of a path, in characters: no system opens a longer one, and asking for each folder of it would cost by the square. */
const LONGEST_PATH = 4_096

/** Paths that are asked for anew in one go, since they were there before, and the length of those. */
const MOST_SEEN = 1_024
const LONGEST_SEEN = 512

/** Follows links, a number of them at most. */
type ResolveLinks = (path: string, links: number) => string

/**
 * Resolves links in the part of the path that exists; what does not exist yet stays as written. A link that leads to
 * nothing is followed all the same: writing through it makes what it leads to.
 */
const createLinks = (): ResolveLinks => {
  // Each is asked of the machine every time. Of one that was there last time it is not asked first whether it is: an
  // answer says so, and none costs an exception, which a path that is often missing would cost every time.
  const seen = createBoundedMap<string, true>({ most: MOST_SEEN })

  const realOf = (path: string): string | undefined => {
    const real = answer(() => realpathSync.native(path), undefined)
    if (real === undefined) seen.delete(path)
    else if (path.length <= LONGEST_SEEN && !seen.has(path)) seen.set(path, true)
    return real
  }

  /** Where a link leads that cannot be followed to its end; the path itself where that cannot be told. */
  const dangling = (path: string, stats: Stats, links: number): string => {
    if (!stats.isSymbolicLink() || links === 0) return path
    const target = answer(() => readlinkSync(path), undefined)
    return target === undefined ? path : follow(resolve(follow(dirname(path), links - 1), target), links - 1)
  }

  const follow: ResolveLinks = (path, links) => {
    if (path.length > LONGEST_PATH) {
      const cut = path.lastIndexOf('/', LONGEST_PATH)
      return cut > 0 ? join(follow(path.slice(0, cut), links), path.slice(cut)) : path
    }
    let missing = ''
    for (let existing = path; ;) {
      let real = seen.has(existing) ? realOf(existing) : undefined
      const stats = real === undefined ? statsOf(existing) : undefined
      if (stats !== undefined) real = realOf(existing) ?? dangling(existing, stats, links)
      if (real !== undefined) return missing === '' ? real : join(real, missing)
      const up = dirname(existing)
      if (up === existing) return path
      missing = missing === '' ? basename(existing) : join(basename(existing), missing)
      existing = up
    }
  }
  return follow
}

const pathKind = (path: string): PathKind => {
  const stats = statsOf(path)
  if (stats === undefined) return 'missing'
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isFile()) return 'file'
  return stats.isDirectory() ? 'directory' : 'other'
}

const list = (path: string): readonly string[] | null =>
  answer(() => {
    const names = readdirSync(path)
    return names.length > MAX_NAMES ? null : names
  }, null)

/** What is opened is what is measured and read; a pipe without a writer is not waited for. */
const read = (path: string): string | null =>
  answer(() => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = fstatSync(file)
      if (!stats.isFile() || stats.size > MOST_READ) return null
      const bytes = readFileSync(file)
      return bytes.length > MOST_READ || bytes.includes(0) ? null : bytes.toString('utf8')
    } finally {
      closeSync(file)
    }
  }, null)

/** Bytes that go on a character of UTF-8; a character has three of them at most. */
const goesOn = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
const LONGEST_CHARACTER = 4

const readPart = (path: string, part: number): string | null =>
  answer(() => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!fstatSync(file).isFile()) return null
      const buffer = Buffer.alloc(MOST_READ + LONGEST_CHARACTER)
      const bytes = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, part * MOST_READ))
      let [start, end] = [0, Math.min(MOST_READ, bytes.length)]
      if (part > 0) while (start < LONGEST_CHARACTER && goesOn(bytes[start])) start++
      while (end < bytes.length && goesOn(bytes[end])) end++
      const text = bytes.subarray(start, end)
      return text.length === 0 || text.includes(0) ? null : text.toString('utf8')
    } finally {
      closeSync(file)
    }
  }, null)

/** The machine itself: real paths, folders and environment. Every method answers and never throws. */
export const createMachineWorld = (
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = answer(homedir, '/'),
): World => {
  // A plain digest of a short secret can be guessed from the record.
  const key = randomBytes(32)
  const resolveLinks = createLinks()
  return Object.freeze({
    realPath: (path: string) => resolveLinks(path, MAX_LINKS),
    pathKind,
    list,
    read,
    readPart,
    conceal: (path: string, look: (text: string) => string) => {
      const text = read(path)
      return text === null ? null : `${createHmac('sha256', key).update(text).digest('hex')} ${look(text)}`
    },
    env: (name: string) => env[name],
    home,
  })
}
