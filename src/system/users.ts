import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Account } from './apply.ts'
import type { SystemPlatform } from './layout.ts'
import type { GuardedUser } from './service.ts'

/** A user of this machine. */
export interface User extends GuardedUser, Account {}

/** Groups whose members become root without asking anybody, or read every disk. */
const LIKE_ROOT: readonly string[] = ['docker', 'lxd', 'incus-admin', 'libvirt', 'disk', 'shadow', 'root']
/** Groups whose members become root with their password, or without it where `NOPASSWD` is set. */
const BY_PASSWORD: readonly string[] = ['sudo', 'wheel', 'admin']

const parsed = (line: string): User | undefined => {
  const [name = '', , uid = '', gid = '', , home = '', shell = ''] = line.trim().split(':')
  if (name === '' || !/^\d+$/.test(uid) || !/^\d+$/.test(gid)) return undefined
  return { name, uid: Number(uid), gid: Number(gid), home, shell: shell === '' ? '/bin/sh' : shell }
}

const text = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Users of a directory service are in no file. */
const asked = (key: string): string => {
  try {
    return execFileSync('getent', ['passwd', key], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

/** A user by name, or by id. */
export const findUser = (key: string | number): User | undefined =>
  [...text('/etc/passwd').split('\n'), asked(String(key))]
    .map(parsed)
    .find((user) => user !== undefined && (typeof key === 'number' ? user.uid : user.name) === key)

/** What of a user is to be known in a plan for another system than this one. */
export const assumedUser = (name: string, platform: SystemPlatform): GuardedUser =>
  platform === 'darwin'
    ? { name, uid: 501, home: `/Users/${name}`, shell: '/bin/zsh' }
    : { name, uid: 1000, home: `/home/${name}`, shell: '/bin/bash' }

/** Names of the groups that a user is in. */
export const groupsOf = ({ name, gid }: User, groups = text('/etc/group')): readonly string[] =>
  groups.split('\n').flatMap((line) => {
    const [group = '', , id = '', members = ''] = line.split(':')
    return Number(id) === gid || members.split(',').includes(name) ? [group] : []
  })

/** Groups that make an ordinary user as strong as root: at once, or with a password. */
export const strongGroups = (
  groups: readonly string[],
): { readonly atOnce: readonly string[]; readonly byPassword: readonly string[] } => ({
  atOnce: groups.filter((group) => LIKE_ROOT.includes(group)),
  byPassword: groups.filter((group) => BY_PASSWORD.includes(group)),
})
