import { createPrivateKey } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isOwnSecret } from '../../evidence/detectors/secrets/own-secrets.ts'
import { dataFiles, secretFiles } from '../../config/data-folder.ts'

/** Largest size in bytes of a token or key file; larger ones are databases. */
const MOST = 512

const readOne = (path: string): string => {
  try {
    return statSync(path).size > MOST ? '' : readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

/** The private key of an identity in printed form: its lines, and its number. */
const keyParts = (path: string): readonly string[] => {
  try {
    const [pem = ''] = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END/.exec(readFileSync(path, 'utf8')) ?? []
    const { d } = createPrivateKey(`${pem} PRIVATE KEY-----\n`).export({ format: 'jwk' })
    const number = d === undefined ? [] : [d, Buffer.from(d, 'base64url').toString('hex')]
    return [...pem.split('\n').filter((line) => /^[A-Za-z\d+/=]+$/.test(line)), ...number]
  } catch {
    return []
  }
}

const identities = (data: string): readonly string[] => {
  const { tls } = dataFiles(data)
  try {
    return readdirSync(tls).flatMap((name) =>
      name.endsWith('.pem') && name.startsWith('identity') ? [join(tls, name)] : [],
    )
  } catch {
    return []
  }
}

/** Tokens and keys of a guard, by their values, from its data folder and its environment now. */
export const ownSecrets = (data: string, env: Readonly<Record<string, string | undefined>>): readonly string[] => [
  ...new Set(
    [
      ...secretFiles(data).map(readOne),
      ...identities(data).flatMap(keyParts),
      env['SALLYPORT_TOKEN'] ?? '',
      env['SALLYPORT_ACS_SECRET'] ?? '',
    ].filter(isOwnSecret),
  ),
]
