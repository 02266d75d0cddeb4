import type { PathZone, Target } from '../../../protocol/evidence.ts'
import type { Engine } from '../engine/engine.ts'
import { isCredentialFile, isDotenv, isHomeCredential } from '../places/sensitive-paths.ts'

type PathTarget = Extract<Target, { readonly type: 'path' }>

/** Folders that environment variables stand for. */
const FOLDERS: readonly (readonly [RegExp, string])[] = [
  [/^(?:\$env:(?:userprofile|homepath)|\$home|%(?:userprofile|homepath)%)(?=[\\/]|$)/i, '~'],
  [/^(?:\$env:(?:appdata|localappdata)|%(?:appdata|localappdata)%)(?=[\\/]|$)/i, '~/AppData/Roaming'],
  [/^(?:\$env:(?:temp|tmp)|%(?:temp|tmp)%)(?=[\\/]|$)/i, '/tmp'],
  [/^(?:\$env:(?:systemroot|windir)|%(?:systemroot|windir)%)(?=[\\/]|$)/i, 'C:/Windows'],
  [/^(?:\$env:(?:systemdrive|homedrive)|%(?:systemdrive|homedrive)%)(?=[\\/]|$)/i, 'C:'],
  [/^(?:\$env:program(?:files|data)|%program(?:files|data)%)(?=[\\/]|$)/i, 'C:/Program Files'],
  [/^(?:\$pwd|%cd%)(?=[\\/]|$)/i, '.'],
]

const BROWSER_SECRETS =
  /\/appdata\/.*(?:\/login data|\/cookies|\/local state|logins\.json|key4\.db|\/protect\/|\/credentials\/|\/vault\/)/

/** No path is longer; what is longer is not looked at. */
const LONGEST = 4096

const zoneOfDrive = (path: string): PathZone => {
  const lower = path.toLowerCase()
  const below = lower.slice(2).replace(/\/?(?:\*(?:\.\*)?)?$/, '')
  if (/sallyport|\/\.claude\/(?:settings|hooks)/.test(lower)) return 'guard'
  if (below === '') return 'root'
  const home = /^\/users\/[^/]+(?:\/(.*))?$/.exec(below)
  if (home !== null || below === '/users') {
    const rest = home?.[1] ?? ''
    if (rest === '') return 'home'
    if (/^appdata\/local\/temp(?:\/|$)/.test(rest)) return 'temp'
    if (isHomeCredential(rest) || isCredentialFile(below) || BROWSER_SECRETS.test(below)) return 'credential'
    return isDotenv(below.slice(below.lastIndexOf('/') + 1)) ? 'dotenv' : 'home-file'
  }
  if (/^\/windows\/(?:system32\/config\/(?:sam|security|system)|ntds)/.test(below)) return 'credential'
  if (/^\/windows\/temp(?:\/|$)|^\/te?mp(?:\/|$)/.test(below)) return 'temp'
  if (
    /^\/(?:windows|program files(?: \(x86\))?|programdata|boot|recovery|system volume information)(?:\/|$)/.test(below)
  )
    return 'system'
  return 'other'
}

/** The path target of a Windows spelling; a path with no drive is one of this machine. */
export const windowsPath = (raw: string, engine: Engine, use: 'content' | 'entry'): PathTarget => {
  const named = FOLDERS.reduce((text, [pattern, folder]) => text.replace(pattern, folder), raw)
  const path = named.replaceAll('\\', '/').replace(/^Microsoft\.PowerShell\.Core\/FileSystem::/i, '')
  if (/[$%]/.test(path) || raw.length > LONGEST) return { type: 'path', raw, path, zone: 'unresolved' }
  if (/^[a-z]:/i.test(path)) {
    // A shell that takes `\\` for an escape leaves `C:Windows`.
    const drive = `${path.slice(0, 2)}/${path.slice(2)}`.replace(/\/{2,}/g, '/')
    return { type: 'path', raw, path: drive, zone: zoneOfDrive(drive) }
  }
  if (/^\/\/[.?]\/physicaldrive/i.test(path)) return { type: 'path', raw, path, zone: 'device' }
  const { paths } = engine
  const whole = path.replace(/(?<=.)\/\*(?:\.\*)?$|^\*(?:\.\*)?$/, (found) => (found.startsWith('*') ? '.' : ''))
  const home = whole.replace(/^~(?=\/|$)/, paths.home)
  return { ...paths.resolve(home, paths.cwd, use), raw }
}
