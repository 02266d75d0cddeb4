import { Buffer } from 'node:buffer'
import { createHash, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** Namespace of our signatures: `ssh-keygen -Y sign -n statement@sallyport`. */
export const SSH_NAMESPACE = 'statement@sallyport'

const BEGIN = '-----BEGIN SSH SIGNATURE-----'
const END = '-----END SSH SIGNATURE-----'
const MAGIC = Buffer.from('SSHSIG')
/** Longest armored signature: one of RSA 16384 takes 6 kB. */
const LONGEST = 16_384
/** Flag of `sk-` signatures: the person has touched the key. */
const TOUCHED = 0x01

/** Reads the length-prefixed fields of the SSH wire format (RFC 4251, section 5). Throws RangeError at the end. */
const createFields = (bytes: Buffer) => {
  let at = 0
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw new RangeError('the SSH data ends too early')
    at += length
    return bytes.subarray(at - length, at)
  }
  return {
    take,
    uint32: (): number => take(4).readUInt32BE(),
    string: (): Buffer => take(take(4).readUInt32BE()),
    text: (): string => take(take(4).readUInt32BE()).toString('latin1'),
    done: (): boolean => at === bytes.length,
  }
}

const lengthPrefixed = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A public key as OpenSSH writes it. */
export interface SshPublicKey {
  readonly type: string
  readonly blob: Buffer
  readonly key: KeyObject
  /** Application of an `sk-` key: it signs with a touch only. */
  readonly application?: Buffer
}

const CURVES: Readonly<Record<string, string>> = { nistp256: 'P-256', nistp384: 'P-384', nistp521: 'P-521' }

const ed25519Key = (point: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') }, format: 'jwk' })

const ecKey = (curve: string, point: Buffer): KeyObject => {
  const crv = CURVES[curve]
  const size = (point.length - 1) / 2
  if (crv === undefined || point[0] !== 4 || !Number.isInteger(size))
    throw new RangeError('the point encoding is not supported')
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)]
  return createPublicKey({
    key: { kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') },
    format: 'jwk',
  })
}

const withoutZeros = (number: Buffer): Buffer => {
  const first = number.findIndex((byte) => byte !== 0)
  return first < 0 ? number.subarray(0, 0) : number.subarray(first)
}

/** Shortest accepted RSA modulus, in bytes. */
const RSA_BYTES = 256

const rsaKey = (exponent: Buffer, modulus: Buffer): KeyObject => {
  const n = withoutZeros(modulus)
  if (n.length < RSA_BYTES) throw new RangeError('the RSA key is shorter than 2048 bits')
  return createPublicKey({
    key: { kty: 'RSA', e: withoutZeros(exponent).toString('base64url'), n: n.toString('base64url') },
    format: 'jwk',
  })
}

/** Reads a public key from its wire format. @throws RangeError for an unsupported kind */
const readKey = (blob: Buffer): SshPublicKey => {
  const fields = createFields(blob)
  const type = fields.text()
  const read = (): Pick<SshPublicKey, 'key' | 'application'> => {
    switch (type) {
      case 'ssh-ed25519':
        return { key: ed25519Key(fields.string()) }
      case 'sk-ssh-ed25519@openssh.com':
        return { key: ed25519Key(fields.string()), application: fields.string() }
      case 'ssh-rsa':
        return { key: rsaKey(fields.string(), fields.string()) }
      case 'ecdsa-sha2-nistp256':
      case 'ecdsa-sha2-nistp384':
      case 'ecdsa-sha2-nistp521':
        return { key: ecKey(fields.text(), fields.string()) }
      case 'sk-ecdsa-sha2-nistp256@openssh.com':
        return { key: ecKey(fields.text(), fields.string()), application: fields.string() }
      default:
        throw new RangeError(`${type.slice(0, 64)} is not a supported key type`)
    }
  }
  const key = { type, blob, ...read() }
  if (!fields.done()) throw new RangeError('the SSH key has trailing data')
  return key
}

const PUBLIC_KEY = /^([a-z0-9@.-]{1,64}) ([A-Za-z0-9+/]{1,16384}={0,2})(?: [^\r\n]*)?\s*$/

/** Reads a line of a `.pub` file. @throws RangeError for anything but a supported public key */
export const readSshPublicKey = (line: string): SshPublicKey => {
  const [, type, base64] = PUBLIC_KEY.exec(line) ?? []
  if (type === undefined || base64 === undefined) throw new RangeError('this is not an SSH public key line')
  const key = readKey(Buffer.from(base64, 'base64'))
  if (key.type !== type) throw new RangeError('the SSH key does not match the type in its line')
  return key
}

/** The fingerprint of a key, as `ssh-keygen -l` prints it. */
export const sshFingerprint = ({ blob }: Pick<SshPublicKey, 'blob'>): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`

/** DER of an ECDSA signature from its two numbers in SSH form, which are DER integers already. */
const derOf = (r: Buffer, s: Buffer): Buffer => {
  const integer = (number: Buffer): Buffer => Buffer.concat([Buffer.from([2, number.length]), number])
  const body = Buffer.concat([integer(r), integer(s)])
  const length = body.length < 128 ? Buffer.from([body.length]) : Buffer.from([0x81, body.length])
  return Buffer.concat([Buffer.from([0x30]), length, body])
}

const ecdsaOf = (blob: Buffer): Buffer => {
  const fields = createFields(blob)
  const der = derOf(fields.string(), fields.string())
  if (!fields.done()) throw new RangeError('the ECDSA signature has trailing data')
  return der
}

/** Hash of each signature algorithm; `null` for Ed25519, which hashes by itself. */
const ALGORITHMS: Readonly<Record<string, { readonly keys: readonly string[]; readonly hash: string | null }>> = {
  'ssh-ed25519': { keys: ['ssh-ed25519'], hash: null },
  'sk-ssh-ed25519@openssh.com': { keys: ['sk-ssh-ed25519@openssh.com'], hash: null },
  'rsa-sha2-256': { keys: ['ssh-rsa'], hash: 'sha256' },
  'rsa-sha2-512': { keys: ['ssh-rsa'], hash: 'sha512' },
  'ecdsa-sha2-nistp256': { keys: ['ecdsa-sha2-nistp256'], hash: 'sha256' },
  'ecdsa-sha2-nistp384': { keys: ['ecdsa-sha2-nistp384'], hash: 'sha384' },
  'ecdsa-sha2-nistp521': { keys: ['ecdsa-sha2-nistp521'], hash: 'sha512' },
  'sk-ecdsa-sha2-nistp256@openssh.com': { keys: ['sk-ecdsa-sha2-nistp256@openssh.com'], hash: 'sha256' },
}

const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest()

/** Whether a signature in wire format is one of this key over these bytes. */
const verifyBlob = (key: SshPublicKey, data: Buffer, blob: Buffer): boolean => {
  const fields = createFields(blob)
  const name = fields.text()
  const algorithm = Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined
  if (algorithm?.keys.includes(key.type) !== true) return false
  const raw = fields.string()
  const signature = name.includes('ecdsa') ? ecdsaOf(raw) : raw
  if (key.application === undefined) return fields.done() && verify(algorithm.hash, data, key.key, signature)
  // PROTOCOL.u2f: the signed data of a security key contain its flags and counter.
  const [flags, counter] = [fields.take(1), fields.take(4)]
  if (!fields.done() || ((flags[0] ?? 0) & TOUCHED) === 0) return false
  const signed = Buffer.concat([sha256(key.application), flags, counter, sha256(data)])
  return verify(algorithm.hash, signed, key.key, signature)
}

const unarmored = (armored: string): Buffer => {
  const text = armored.trim().replaceAll('\r\n', '\n')
  if (text.length > LONGEST || !text.startsWith(`${BEGIN}\n`) || !text.endsWith(`\n${END}`))
    throw new RangeError('this is not an armored SSH signature')
  const base64 = text.slice(BEGIN.length, -END.length).replaceAll('\n', '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new RangeError('the SSH signature is not base64')
  return Buffer.from(base64, 'base64')
}

/**
 * Whether an armored signature (OpenSSH PROTOCOL.sshsig, as `ssh-keygen -Y sign` writes it) is one of this key over the
 * message, in our namespace. `sk-` signatures must include the flag of a touch. Never throws.
 */
export const verifySshSignature = (publicKey: string, message: Buffer, armored: string): boolean => {
  try {
    const key = readSshPublicKey(publicKey)
    const fields = createFields(unarmored(armored))
    if (!fields.take(MAGIC.length).equals(MAGIC) || fields.uint32() !== 1) return false
    const [blob, namespace, reserved] = [fields.string(), fields.text(), fields.string()]
    const [hash, signature] = [fields.text(), fields.string()]
    if (!fields.done() || !blob.equals(key.blob) || namespace !== SSH_NAMESPACE) return false
    if (hash !== 'sha256' && hash !== 'sha512') return false
    const digest = createHash(hash).update(message).digest()
    const parts = [Buffer.from(namespace), reserved, Buffer.from(hash), digest].map(lengthPrefixed)
    return verifyBlob(key, Buffer.concat([MAGIC, ...parts]), signature)
  } catch {
    return false
  }
}
