import { spawnSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Mounts the world's own layer over /etc, then becomes the program it was given. */
const MOUNT = 'mount -t overlay overlay -o "lowerdir=/etc,upperdir=$0/upper,workdir=$0/work" /etc && exec "$@"'

/**
 * A command prefix under which a program sees an /etc of its own, kept in `folder`; nothing is written to the
 * machine's. `undefined` where the machine allows no such thing (needs Linux, and root or user namespaces).
 */
export const privateEtc = async (folder: string): Promise<readonly string[] | undefined> => {
  if (process.platform !== 'linux') return undefined
  await Promise.all(['upper', 'work'].map((name) => mkdir(join(folder, name), { recursive: true })))
  const flags = process.getuid?.() === 0 ? '-m' : '-rm'
  const prefix = ['unshare', flags, 'sh', '-c', MOUNT, folder]
  const tried = spawnSync('unshare', [...prefix.slice(1), 'true'])
  return tried.status === 0 ? prefix : undefined
}
