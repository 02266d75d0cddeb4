import { chownSync, statSync } from 'node:fs'

/**
 * Gives paths that root made in a person's home to that person: their guard has to read them. Does nothing for
 * anybody but root, who alone can give files away.
 */
export const giveToOwnerOf = (home: string, paths: readonly string[]): void => {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(home)
  for (const path of paths) chownSync(path, uid, gid)
}

/** Whether a home belongs to the person who called `sudo`; true when nobody did. */
export const isHomeOfCaller = (home: string, env: Readonly<Record<string, string | undefined>>): boolean =>
  env['SUDO_UID'] === undefined || String(statSync(home).uid) === env['SUDO_UID']
