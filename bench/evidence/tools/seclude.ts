import { spawnSync } from 'node:child_process'
import process from 'node:process'

const AS_NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--no-new-privs', '--']
const ALONE = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc']

/**
 * The words to put before a command so that it runs without a network, in a process tree of its own, and as nobody when
 * we are root. Undefined where this machine cannot do that, or where nobody may not read the folder.
 */
export const seclude = (folder: string): readonly string[] | undefined => {
  const before =
    process.getuid?.() === 0 ? ['unshare', ...ALONE, ...AS_NOBODY] : ['unshare', '--map-root-user', ...ALONE]
  const [command, ...args] = [...before, 'test', '-r', folder]
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0 ? before : undefined
}
