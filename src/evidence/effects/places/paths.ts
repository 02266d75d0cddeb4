import { posix } from 'node:path'
import type { PathZone, Target } from '../../../protocol/evidence.ts'
import { commonSpelling, isAbsolutePath, isOfWindows } from '../../../protocol/path-spelling.ts'
import type { SessionRef } from '../../../protocol/step.ts'
import type { World } from '../../../protocol/world.ts'
import type { TextTest } from '../values/glob.ts'
import { pathOfUrl } from './file-url.ts'
import { isCredentialFile, isDotenv, isHomeCredential, isRemade } from './sensitive-paths.ts'

/** Block devices in memory: their content is lost when the machine stops (Linux, brd and zram). */
const MEMORY = /^\/dev\/(?:zram|ram)\d+$/

/** Devices with an arbitrary medium: an image file, a disc, a floppy, another machine's export. */
const CARRIER = /^\/dev\/(?:loop\d+(?:p\d+)?|sr\d+|cdrom|dvd|fd\d+|nbd\d+(?:p\d+)?)$/

/** Names of disks and their partitions in kernels (Linux block drivers, BSD and macOS), lower case where they are. */
const DISK =
  /^(?:[shv]d[a-z]{1,3}\d*|xvd[a-z]{1,2}\d*|nvme\d+(?:c\d+)?(?:n\d+(?:p\d+)?)?|mmcblk\d+(?:p\d+|boot\d|rpmb)?|md\d+(?:p\d+)?|dm-\d+|bcache\d+|pmem\d+(?:p\d+)?|dasd[a-z]+\d*|r?disk\d+(?:s\d+)*|(?:a?da|nvd|vtbd)\d+(?:[sp]\d+)*|disk)$/

/** Other names that every machine has below `/dev`. */
const NO_DISK =
  /^(?:mem|kmem|port|kmsg|console|null|zero|full|u?random|std(?:in|out|err)|fd|tty\w*|ptmx|fb\d+|watchdog\d*|kvm|fuse|shm)$/

/** Whether a path below `/dev` is a disk in memory. */
const isMemoryDevice = (path: string): boolean => MEMORY.test(path)

/**
 * Whether a path below `/dev` may not be a disk: its medium is unknown before the run, or no disk has the name and
 * nothing on this machine does, as the `/dev/sdX` of a manual.
 */
const isUncertainDevice = (path: string, world: World): boolean => {
  if (CARRIER.test(path)) return true
  const name = path.slice('/dev/'.length)
  if (name === '' || name.includes('/') || /[*?[]/.test(name) || DISK.test(name) || NO_DISK.test(name)) return false
  // A spelling that no kernel uses, except on a file system that ignores case.
  if (/^r?disk\d/i.test(name)) return false
  return world.pathKind(path) === 'missing'
}

/** A target that is a path. */
export type PathTarget = Extract<Target, { readonly type: 'path' }>

/** What a path denotes: `entry` the name itself (delete, move), `content` the target of a link. */
export type PathUse = 'entry' | 'content'

/** Resolves paths and names their zones, for one analysis. */
export interface Paths {
  /** The working directory an analysis starts in, absolute. */
  readonly cwd: string
  readonly home: string
  readonly world: World
  /** Clears the resolved paths: later questions go to the world again. */
  forget(): void
  /** A path as written, from a working directory (`undefined`: not known). */
  resolve(raw: string, cwd: string | undefined, use: PathUse): PathTarget
  /** Whether deleting or moving a path deletes or moves a path of the guard too. */
  readonly holdsGuard: (path: string) => boolean
  /** Whether a folder is one of the guard's, or an ancestor of one of its paths, where that is not a home. */
  isGuardFolder(path: string): boolean
  /** Paths of the guard, and names in its folders, below a folder and with a matching last name. */
  guardBelow(folder: string, name: TextTest): readonly string[]
  /** Whether the guard's folder of a path contains a file with a matching name. */
  guardAround(path: string, name: RegExp): boolean
  /** Paths of the guard, or their ancestors, that a glob pattern with this many slashes may match; lower case. */
  guardMatched(pattern: TextTest, depth: number): readonly string[]
}

const SYSTEM =
  /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|libx32|lost\+found|media|mnt|nix|opt|proc|run|sbin|snap|srv|sys|usr|var|users|system|library|applications|volumes|private|cores|windows)(?:\/|$)/
/** Folders of the system itself, for every user: a workspace is below them. */
const NO_WORKSPACE =
  /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|libx32|nix|proc|run|sbin|snap|sys|tmp|usr|var|users|system|library|applications|volumes|private|windows|mnt\/[a-z]|[a-z]:(?:\/(?:users|windows(?:\/.*)?|program files(?: \(x86\))?)?)?)?$/
const TEMP = /^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders|dev\/shm)(?:\/|$)/
const HOME_OF = /^(\/(?:home|users)\/[^/]+|\/root|\/var\/root)(?:\/(.*))?$/

/** Folders of a system by their absolute paths in lower case, a drive's without the drive. */
interface SystemPlaces {
  readonly home: RegExp
  readonly system: RegExp
  readonly temp: RegExp
}

const POSIX_PLACES: SystemPlaces = { home: HOME_OF, system: SYSTEM, temp: TEMP }
const DRIVE_PLACES: SystemPlaces = {
  home: /^(\/(?:users|documents and settings)(?=\/?$)|\/(?:users|documents and settings)\/[^/]+)(?:\/(.*))?$/,
  system:
    /^\/(?:windows|winnt|program files(?: \(x86\))?|programdata|boot|efi|recovery|system volume information)(?:\/|$)|^\/(?:bootmgr|pagefile\.sys|hiberfil\.sys)$/,
  temp: /^\/(?:windows\/te?mp|te?mp|users\/[^/]+\/appdata\/local\/te?mp)(?:\/|$)/,
}
const ON_DRIVE = /^\/(?:(?:mnt|cygdrive)\/[a-z]|[a-z]:)(?=\/|$)/

/** Short names of Windows: eight characters. A shorter one that is cut had another character, usually a dot. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  progra: 'program files',
  docume: 'documents and settings',
  system: 'system volume information',
  claude: '.claude',
}
const fullNames = (path: string): string =>
  path.includes('~')
    ? path.replace(
        /\/([^/~.]{1,8})~\d{1,3}(?:\.[^/]{0,3})?(?=\/|$)/g,
        (whole, name: string) => `/${OLD_NAMES[name] ?? (name.length < 6 ? `.${name}` : whole.slice(1))}`,
      )
    : path

/** The guard's files and a host's settings in a Windows home, which may be another one than the guard knows. */
const GUARD_ON_DRIVE =
  /^\/users\/[^/]+\/(?:(?:appdata\/[^/]+|\.config|\.local\/share)\/sallyport|\.claude\/(?:settings|hooks))|^\/programdata\/sallyport(?:\/|$)/

const within = (path: string, folder: string): boolean =>
  path === folder || (path.startsWith(folder) && (folder === '/' || path.charCodeAt(folder.length) === 47))

/** Same file on a file system that ignores case and composes accents. */
const fold = (path: string): string => path.normalize('NFC').toLowerCase()

/** UTF-16 code units of a path: the kernel accepts no longer one, and walking it would take quadratic time. */
const LONGEST_PATH = 4_096

/** Bytes that end a path for the kernel, or cannot be in one, are dropped so that they hide nothing. */
const withoutEnd = (raw: string): string => (raw.includes('\0') ? raw.slice(0, raw.indexOf('\0')) : raw)

/** The root of the file system by way of a process. */
const ROOT_OF_PROCESS = /^(?:\/+(?:\.\/+)*proc\/+(?:self|thread-self|\d+)(?:\/+task\/+\d+)?\/+root(?=\/|$))+/

/** A path without the parts that disguise it: an end that the kernel ignores, a `file:` address, a detour. */
const clean = (raw: string): string => {
  const path = withoutEnd(raw)
  if (path.startsWith('file:')) return clean(pathOfUrl(path))
  return path.includes('/root') && path.startsWith('/') ? path.replace(ROOT_OF_PROCESS, '') || '/' : path
}

interface Layout {
  readonly homes: readonly string[]
  readonly workspaces: readonly string[]
  readonly guard: readonly string[]
}

/** Zones that a spelling keeps even if the target of its links has another. */
const STICKY: readonly PathZone[] = ['guard', 'credential', 'dotenv', 'device']

const zoneOf = (path: string, { homes, workspaces, guard }: Layout): PathZone => {
  const lower = fold(path)
  for (const place of guard) if (within(lower, place)) return 'guard'
  const drive = ON_DRIVE.exec(lower)?.[0]
  const below = drive === undefined ? lower : fullNames(lower.slice(drive.length)) || '/'
  const places = drive === undefined ? POSIX_PLACES : DRIVE_PLACES
  let inHome: string | undefined
  for (const home of homes) if (within(lower, home)) inHome = lower.slice(home.length + 1)
  if (inHome === undefined || drive !== undefined)
    inHome =
      places.home
        .exec(below)
        ?.slice(2)
        .map((rest) => rest ?? '')[0] ?? inHome
  if (inHome !== undefined && isHomeCredential(inHome)) return 'credential'
  if (isCredentialFile(below)) return 'credential'
  if (isDotenv(below.slice(below.lastIndexOf('/') + 1))) return 'dotenv'
  if (lower.startsWith('/dev/') && !lower.startsWith('/dev/shm')) return 'device'
  if (below === '/') return 'root'
  if (inHome === '') return 'home'
  for (const workspace of workspaces) {
    if (lower === workspace) return 'workspace-root'
    if (within(workspace, lower)) return places.system.test(below) && inHome === undefined ? 'system' : 'workspace-root'
    if (!within(lower, workspace)) continue
    return /\/\.git(?:\/|$)/.test(lower.slice(workspace.length)) ? 'vcs' : 'workspace'
  }
  if (drive !== undefined && GUARD_ON_DRIVE.test(below)) return 'guard'
  if (places.temp.test(below)) return 'temp'
  if (isRemade(below, inHome)) return 'cache'
  if (inHome !== undefined) return 'home-file'
  return places.system.test(below) ? 'system' : 'other'
}

/** The path as the kernel walks it: `..` leaves the folder a link leads to. */
const walk = (path: string, world: World): string => {
  let at = '/'
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    at = part === '..' ? posix.dirname(world.realPath(at)) : posix.join(at, part)
  }
  return at
}

const realOf = (path: string, use: PathUse, world: World): string => {
  if (path === '/') return path
  if (use === 'content' || path.endsWith('/')) return world.realPath(posix.resolve(path))
  return posix.join(world.realPath(posix.dirname(path)), posix.basename(path))
}

/** The zone of a path below `/dev`: a disk, volatile memory, or unknown. */
const deviceZone = (path: string, world: World): PathZone =>
  isMemoryDevice(path) ? 'temp' : isUncertainDevice(path, world) ? 'unresolved' : 'device'

/**
 * Paths as seen from a session's workspace.
 * @param guardPaths the guard's own, under every name they have
 * @param guardSecrets files among them that are known even where the folder cannot be listed
 */
export const createPaths = (
  world: World,
  session: SessionRef,
  guardPaths: readonly string[],
  guardSecrets: readonly string[] = [],
): Paths => {
  const [started, project] = [session.cwd, session.project].map((path) =>
    path !== undefined && isAbsolutePath(path) ? path : undefined,
  )
  const startsIn = commonSpelling(started ?? project ?? '/')
  const onWindows = isOfWindows(startsIn) || isOfWindows(commonSpelling(world.home))
  const home = commonSpelling(world.home, onWindows)
  const both = (given: string): readonly string[] => {
    const path = commonSpelling(given, onWindows)
    const [written, real] = [posix.resolve(path), world.realPath(path)]
    return real === written ? [fold(real)] : [...new Set([fold(written), fold(real)])]
  }
  const cwd = posix.resolve(startsIn)
  const workspace = project ?? started
  const layout: Layout = {
    homes: both(home).filter((path) => path !== '/'),
    workspaces: workspace === undefined ? [] : both(workspace).filter((folder) => !NO_WORKSPACE.test(folder)),
    guard: guardPaths.map((path) => fold(posix.resolve(commonSpelling(path, onWindows)))),
  }
  const targets = new Map<string, PathTarget>()
  const find = (raw: string, from: string | undefined, use: PathUse): PathTarget => {
    const spelt = commonSpelling(clean(raw), onWindows)
    const text = spelt.startsWith('~/') && raw.startsWith('~\\') ? `${home}${spelt.slice(1)}` : spelt
    if (from === undefined && !text.startsWith('/')) return { type: 'path', raw, path: text, zone: 'unresolved' }
    const whole = text.startsWith('/') ? text : `${from ?? ''}/${text}`
    if (whole.length > LONGEST_PATH) return { type: 'path', raw, path: text.slice(0, LONGEST_PATH), zone: 'unresolved' }
    const lexical = posix.resolve(whole)
    const physical = whole.includes('..') ? walk(whole, world) : lexical
    const real = realOf(text.endsWith('/') && physical !== '/' ? `${physical}/` : physical, use, world)
    const written = zoneOf(lexical, layout)
    const zone = real === lexical || STICKY.includes(written) ? written : zoneOf(real, layout)
    return { type: 'path', raw, path: real, zone: zone === 'device' ? deviceZone(real, world) : zone }
  }
  return Object.freeze({
    cwd,
    home,
    world,
    resolve: (raw: string, from: string | undefined, use: PathUse) => {
      const key = `${use}\0${from ?? ''}\0${raw}`
      const found = targets.get(key) ?? find(raw, from, use)
      targets.set(key, found)
      return found
    },
    forget: () => targets.clear(),
    holdsGuard: (path: string) => {
      if (!path.startsWith('/')) return false
      const lower = fold(path)
      return layout.guard.some((place) => within(place, lower))
    },
    isGuardFolder: (path: string) => {
      const lower = fold(path)
      return layout.guard.some(
        (place) =>
          within(lower, place) || (posix.dirname(place) === lower && lower !== '/' && !layout.homes.includes(lower)),
      )
    },
    guardBelow: (folder: string, name: TextTest) => {
      const lower = fold(folder)
      const inside = guardPaths.filter((path) => within(fold(path), lower))
      const all = inside.flatMap((path) => [path, ...(world.list(path) ?? []).map((one) => posix.join(path, one))])
      const secrets = guardSecrets.filter((path) => within(fold(path), lower))
      return [...new Set([...all, ...secrets])].filter((path) => name.test(posix.basename(path)))
    },
    guardAround: (path: string, name: RegExp) => {
      const lower = fold(path)
      const around = guardPaths.filter((place) => within(lower, fold(place)))
      return (
        guardSecrets.some((secret) => around.some((place) => within(fold(secret), fold(place)))) ||
        around.some((place) => (world.list(place) ?? []).some((one) => name.test(one)))
      )
    },
    guardMatched: (pattern: TextTest, depth: number) =>
      [...layout.guard, ...guardSecrets.map(fold)].flatMap((place) => {
        const parts = place.split('/')
        const start = parts.slice(0, depth + 1).join('/')
        return parts.length > depth && pattern.test(start) ? [start] : []
      }),
  })
}
