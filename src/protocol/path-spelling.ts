/**
 * Paths of Windows in one spelling: `/C:/Users/me` as in a file address, and `/UNC/server/share` for another machine's.
 * All else that looks at paths needs to know only slashes.
 */

/** `\\?\C:\`, `\??\C:\` and what PowerShell calls its file system: the same path without it. */
const LONG_FORM = /^(?:(?:microsoft\.powershell\.core\\)?filesystem::)?(?:[\\/]{2}[?.][\\/]|\\\?\?\\)?(unc[\\/])?/i
/** This machine's own disk by way of the network. */
const OWN_SHARE = /^[\\/]{2}(?:localhost|127\.0\.0\.1|\.)[\\/](?:([a-z])|(admin))\$(?=[\\/]|$)/i
/** The Linux that runs inside Windows, from outside. */
const INNER_LINUX = /^[\\/]{2}wsl(?:\$|\.localhost)[\\/][^\\/]+(?=[\\/]|$)/i
const RAW_DISK = /^[\\/]{2}[.?][\\/](?:physicaldrive(\d*)|[a-z]:$|volume\{|harddisk)/i
const DRIVE = /^\/?([a-z]):(?=[\\/]|$)/i
/** A drive as the shells of Unix on Windows name it. */
const MOUNTED = /^\/(?:mnt\/|cygdrive\/)?([a-z])(?=\/|$)/i
const RELATIVE = /^(?:\.{1,2}|~)\\/

const BACKSLASH = 92
const COLON = 58

/** Windows takes no notice of dots and blanks at the end of a name, nor of the stream that is named behind it. */
const plainName = (name: string): string => {
  const plain = name.includes(':') ? name.slice(0, name.indexOf(':')) : name
  return /[. ]$/.test(plain) && !/^\.{1,2}$/.test(plain) ? plain.replace(/[. ]{1,64}$/, '') : plain
}

const slashed = (path: string): string => path.replaceAll('\\', '/').split('/').map(plainName).join('/')

/** Whether an absolute path in the common spelling is of Windows. */
export const isOfWindows = (path: string): boolean => /^\/(?:[a-z]:|unc)(?:\/|$)/i.test(path)

/** Whether a path as written is absolute on any system. */
export const isAbsolutePath = (path: string): boolean => path.startsWith('/') || isOfWindows(commonSpelling(path))

/**
 * A path as written in the common spelling; paths of other systems stay as they are.
 * @param onWindows the session works on Windows: a backslash is always a separator, `/c/` is a drive
 */
export const commonSpelling = (raw: string, onWindows = false): string => {
  const first = raw.charCodeAt(0)
  const mayBe =
    onWindows || first === BACKSLASH || raw.charCodeAt(1) === COLON || raw.charCodeAt(2) === COLON || raw.includes('\\')
  if (!mayBe && !/^\/\/[?.]\/|^(?:filesystem|microsoft\.p)/i.test(raw)) return raw
  const disk = RAW_DISK.exec(raw)
  if (disk !== null) return `/dev/disk${disk[1] || '0'}`
  const short = raw
    .replace(LONG_FORM, (_, unc: string | undefined) => (unc === undefined ? '' : '\\\\'))
    .replace(OWN_SHARE, (_, drive: string | undefined) => (drive === undefined ? 'C:\\Windows' : `${drive}:`))
  const linux = short.replace(INNER_LINUX, '')
  if (linux !== short) return linux === '' ? '/' : linux.replaceAll('\\', '/')
  const drive = DRIVE.exec(short)
  if (drive !== null) return `/${(drive[1] ?? '').toUpperCase()}:${slashed(short.slice(drive[0].length)) || '/'}`
  if (/^\\\\[^\\/]|^\\\\$/.test(short) || (onWindows && /^[\\/]{2}[^\\/]/.test(short)))
    return `/UNC/${slashed(short.slice(2))}`
  if (onWindows) {
    const mounted = MOUNTED.exec(short)
    if (mounted !== null)
      return `/${(mounted[1] ?? '').toUpperCase()}:${slashed(short.slice(mounted[0].length)) || '/'}`
    return short.startsWith('\\') ? `/C:${slashed(short)}` : short.replaceAll('\\', '/')
  }
  return RELATIVE.test(short) ? short.replaceAll('\\', '/') : short
}
