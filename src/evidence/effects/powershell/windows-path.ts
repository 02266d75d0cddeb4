import { isOfWindows } from '../../../protocol/path-spelling.ts'
import type { Engine } from '../engine/engine.ts'
import type { PathTarget, Paths } from '../places/paths.ts'

/** No path is longer; what is longer is not looked at. */
const LONGEST = 4096

/** Folders below a home that Windows has variables for, and folders of the machine. */
const FOLDERS: Readonly<Record<string, string>> = {
  userprofile: '~',
  home: '~',
  onedrive: '~/OneDrive',
  appdata: '~/AppData/Roaming',
  localappdata: '~/AppData/Local',
  systemroot: 'C:/Windows',
  windir: 'C:/Windows',
  systemdrive: 'C:',
  programfiles: 'C:/Program Files',
  programw6432: 'C:/Program Files',
  'programfiles(x86)': 'C:/Program Files (x86)',
  programdata: 'C:/ProgramData',
  allusersprofile: 'C:/ProgramData',
  public: 'C:/Users/Public',
  comspec: 'C:/Windows/System32/cmd.exe',
}

/** A path as Windows writes it, but for its slashes. */
const shown = (path: string): string => path.replace(/^\/(?=[A-Z]:)/, '')

/** A path that begins with such a variable on another system than Windows, in that system's spelling. */
export const withSlashes = (text: string, { home }: Paths): string =>
  !isOfWindows(home) && (text.startsWith(`${home}\\`) || text.startsWith('/tmp\\')) ? text.replaceAll('\\', '/') : text

/** What every Windows has in a variable of this name; `undefined` where that is not known. */
export const windowsVariable = (given: string, paths: Paths): string | undefined => {
  const text = variableText(given.toLowerCase(), paths)
  return text === undefined ? undefined : shown(text)
}

const variableText = (name: string, { home, cwd }: Paths): string | undefined => {
  const drive = isOfWindows(home) ? home.slice(1, 3) : ''
  if (name === 'temp' || name === 'tmp') return drive === '' ? '/tmp' : `${home}/AppData/Local/Temp`
  if (name === 'homedrive') return drive
  if (name === 'homepath') return drive === '' ? home : home.slice(3)
  if (name === 'username') return home.slice(home.lastIndexOf('/') + 1)
  if (name === 'cd' || name === 'pwd') return cwd
  const folder = Object.hasOwn(FOLDERS, name) ? FOLDERS[name] : undefined
  return folder?.replace('~', home)
}

/**
 * The path target of a Windows spelling, from a folder where that is not the session's.
 * @param from absolute
 */
export const windowsPath = (
  raw: string,
  { paths }: Engine,
  use: 'content' | 'entry',
  from: string | undefined = paths.cwd,
): PathTarget => {
  if (/[$%]\w|[$%]$|![\w]+!/.test(raw) || raw.length > LONGEST)
    return { type: 'path', raw, path: raw, zone: 'unresolved' }
  // A shell that takes `\\` for an escape leaves `C:Windows`.
  const rooted = raw.replace(/^([a-z]:)(?![\\/]|$)([^*]*)(?:\*(?:\.\*)?$)?/i, '$1/$2').replace(/^\\(?=[^\\])/, 'C:/')
  const path = rooted.replace(/(?<=.)[\\/]\*(?:\.\*)?$|^\*(?:\.\*)?$/, (found) => (found.startsWith('*') ? '.' : ''))
  const spelt = /^[a-z]:|^[\\/]{2}/i.test(path) ? path : path.replaceAll('\\', '/')
  return { ...paths.resolve(spelt.replace(/^~(?=\/|$)/, paths.home), from, use), raw }
}
