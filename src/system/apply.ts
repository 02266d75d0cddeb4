import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SallyportError } from '../errors/errors.ts'
import { copyTree } from './package-copy.ts'
import type { Owner, SystemAction, SystemPlan } from './plan.ts'

/** User and group of a file. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/** What carrying out a plan works with. */
export interface Applying {
  /** Folder in place of `/`; empty on the machine itself. */
  readonly root: string
  /** Runs a command; returns the error, if any. */
  readonly run: (command: readonly [string, ...string[]]) => string | undefined
  /** The guard's user, which exists once the commands before have run. */
  readonly guard: () => Account
  /** Makes token and certificates, and puts the hooks into the host's settings. */
  readonly hooks: (path: string) => void
  /** Whether files can be transferred to their owners. */
  readonly isRoot: boolean
}

const ROOT: Account = { uid: 0, gid: 0 }

/** Puts a file or folder in its place at once; what was there before is gone only then. */
const swapIn = (made: string, path: string): void => {
  const old = `${path}.old-${process.pid}`
  if (existsSync(path)) renameSync(path, old)
  renameSync(made, path)
  rmSync(old, { recursive: true, force: true })
}

const makeFolders = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o755 })
}

/** Transfers a tree to a user. Links themselves are transferred, and never followed. */
export const giveTree = (path: string, { uid, gid }: Account): void => {
  lchownSync(path, uid, gid)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) giveTree(inside, { uid, gid })
    else lchownSync(inside, uid, gid)
  }
}

const applyOne = (action: SystemAction, it: Applying): void => {
  const own = (path: string, owner: Owner): void => {
    if (!it.isRoot) return
    const { uid, gid } = owner === 'guard' ? it.guard() : ROOT
    chownSync(path, uid, gid)
  }
  if (action.kind === 'run') {
    const detail = it.run(action.command)
    if (detail !== undefined)
      throw new SallyportError('SP_SYSTEM_COMMAND', { command: action.command.join(' '), detail })
    return
  }
  const path = join(it.root, action.path)
  const part = `${path}.new-${process.pid}`
  switch (action.kind) {
    case 'program':
      makeFolders(dirname(path))
      for (const { from, to } of action.parts) copyTree(from, join(part, to))
      if (it.isRoot) giveTree(part, ROOT)
      swapIn(part, path)
      return
    case 'copy':
      makeFolders(dirname(path))
      copyFileSync(action.from, part)
      chmodSync(part, action.mode)
      own(part, 'root')
      renameSync(part, path)
      return
    case 'folder':
      makeFolders(path)
      chmodSync(path, action.mode)
      own(path, action.owner)
      return
    case 'file':
      if (action.keeps === true && existsSync(path)) return
      makeFolders(dirname(path))
      writeFileSync(part, action.text, { mode: 0o600 })
      chmodSync(part, action.mode)
      own(part, action.owner)
      renameSync(part, path)
      return
    case 'hooks':
      it.hooks(action.path)
      return
    default:
      action satisfies never
  }
}

/** Carries out a plan, in its order. @throws SallyportError SP_SYSTEM_COMMAND */
export const applyPlan = ({ actions }: SystemPlan, it: Applying): void => {
  for (const action of actions) applyOne(action, it)
}
