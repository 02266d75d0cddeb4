import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from './replace-file.ts'

/**
 * A file for `NODE_EXTRA_CA_CERTS` of a host: the certificates of the guard, after those of the file that the person
 * had set there. It contains the name of that file, so that the guard can follow its changes.
 */

const NAME = /^trust-[\w-]+\.pem$/
const JOINS = /^# Sallyport joins here: (".*")$/m
const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g

/** Path of the bundle of one installation. @param name letters, digits and hyphens */
export const bundleFile = (folder: string, name: string): string => join(folder, `trust-${name}.pem`)

/** The file that a bundle joins, if any. */
export const joinedFile = (bundle: string): string | undefined => {
  try {
    const found = JOINS.exec(readFileSync(bundle, 'utf8'))?.[1]
    return found === undefined ? undefined : (JSON.parse(found) as string)
  } catch {
    return undefined
  }
}

const certificatesOf = (path: string): readonly string[] | undefined => {
  try {
    return readFileSync(path, 'utf8').match(CERTIFICATE) ?? []
  } catch {
    return undefined
  }
}

const textOf = (joined: string | undefined, others: readonly string[], certificates: string): string =>
  [
    '# Written by Sallyport. What the host trusts beside its own certificates; do not edit.',
    ...(joined === undefined ? [] : [`# Sallyport joins here: ${JSON.stringify(joined)}`]),
    ...others,
    certificates,
  ].join('\n')

/** Writes a bundle. Returns whether the joined file could be read; otherwise its certificates are omitted. */
export const writeBundle = (bundle: string, certificates: string, joined: string | undefined): boolean => {
  const joinedCertificates = joined === undefined ? [] : certificatesOf(joined)
  replaceFile(bundle, textOf(joined, joinedCertificates ?? [], certificates))
  return joinedCertificates !== undefined
}

/** Brings every bundle of a folder up to date. A joined file that cannot be read any more keeps the bundle as it is. */
export const refreshBundles = (folder: string, certificates: string): void => {
  for (const name of readdirSync(folder)) {
    if (!NAME.test(name)) continue
    const bundle = join(folder, name)
    const joined = joinedFile(bundle)
    const joinedCertificates =
      joined === undefined ? [] : (certificatesOf(joined) ?? certificatesOfBundle(bundle, certificates))
    replaceFile(bundle, textOf(joined, joinedCertificates, certificates))
  }
}

/** The certificates of a bundle besides our own: the last known content of a missing joined file. */
const certificatesOfBundle = (bundle: string, certificates: string): readonly string[] => {
  const ownCertificates = new Set(certificates.match(CERTIFICATE))
  return (certificatesOf(bundle) ?? []).filter((one) => !ownCertificates.has(one))
}

/** Whether a path is that of a bundle of ours. */
export const isBundle = (folder: string, path: string): boolean => dirname(path) === folder && NAME.test(basename(path))

/** Whether a host's settings name a bundle of this folder. @param host the beginning of its bundles' names */
export const hasBundles = (folder: string, host: string): boolean => {
  try {
    return readdirSync(folder).some((name) => NAME.test(name) && name.startsWith(`trust-${host}-`))
  } catch {
    return false
  }
}

/** Removes the bundle of a removed installation. */
export const dropBundle = (bundle: string): void => {
  rmSync(bundle, { force: true })
}
