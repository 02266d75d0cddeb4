import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { certificatesFile } from '../certificates/keyring.ts'
import { replaceFile } from '../certificates/replace-file.ts'
import { isBundle } from '../certificates/trust-bundle.ts'

/** The published files, and their place. */
export interface Publication {
  /** File of the guard's token. */
  readonly token: string
  /** Folder of its certificates and keys. */
  readonly tls: string
  /** Folder that hooks of other users read. */
  readonly hooks: string
}

const PUBLIC_FILE = 0o644
const PUBLIC_FOLDER = 0o755

const makePublicFolder = (path: string): void => {
  mkdirSync(path, { recursive: true })
  chmodSync(path, PUBLIC_FOLDER)
}

const publish = (from: string, to: string): void => {
  replaceFile(to, readFileSync(from, 'utf8'), PUBLIC_FILE)
  chmodSync(to, PUBLIC_FILE)
}

/**
 * Copies what the hooks of other users have to read: the token and the certificates, never a key. The copy has the
 * names of a data folder, so that a hook finds in the one what it finds in the other.
 */
export const publishForHooks = ({ token, tls, hooks }: Publication): void => {
  const folder = join(hooks, 'tls')
  makePublicFolder(hooks)
  makePublicFolder(folder)
  publish(token, join(hooks, 'token'))
  publish(certificatesFile(tls), certificatesFile(folder))
  const bundles = readdirSync(tls).filter((name) => isBundle(tls, join(tls, name)))
  for (const name of bundles) publish(join(tls, name), publishedBundle(hooks, name))
  for (const name of readdirSync(folder))
    if (isBundle(folder, join(folder, name)) && !bundles.includes(name)) rmSync(join(folder, name))
}

/** Where a bundle is published. */
export const publishedBundle = (hooks: string, bundle: string): string => join(hooks, 'tls', basename(bundle))
