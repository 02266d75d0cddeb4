import { chownSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Transfers paths that root created in a person's home to that person, whose guard has to read them. Does nothing for
 * other users: only root can change the owner of files.
 */
export const giveToOwnerOf = (home: string, paths: readonly string[]): void => {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(home)
  for (const path of paths) chownSync(path, uid, gid)
}

/** Makes a folder and its ancestors; the new ones belong to the person. */
export const makeFolder = (home: string, path: string, mode: number): void => {
  const first = mkdirSync(path, { recursive: true, mode })
  if (first === undefined) return
  const made: string[] = []
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) made.push(folder)
  giveToOwnerOf(home, made)
}

/** Whether a home belongs to the person who called `sudo`; true without sudo. */
export const isHomeOfCaller = (home: string, env: Readonly<Record<string, string | undefined>>): boolean =>
  env['SUDO_UID'] === undefined || String(statSync(home).uid) === env['SUDO_UID']

/** The user id of the person: for root, who may act for a person, the home's owner; otherwise one's own. */
export const personOf = (home: string): number | undefined => {
  const uid = process.getuid?.()
  return uid === 0 ? statSync(home).uid : uid
}
