import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSshPublicKey, SSH_NAMESPACE, sshFingerprint, verifySshSignature } from './ssh-signature.ts'

/** Signatures of the real program, where it is there. */
const there = spawnSync('ssh-keygen', ['-?']).error === undefined
if (!there)
  process.stderr.write(
    'SKIPPED: ssh-keygen is not installed (Debian: openssh-client); nothing proves that its signatures are read\n',
  )

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-ssh-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const MESSAGE = Buffer.from('sallyport-statement-v1\n{"a":1}')

let count = 0
const made = (type: string, bits: string): { readonly file: string; readonly line: string } => {
  count += 1
  const file = join(folder, `key-${count}`)
  execFileSync('ssh-keygen', [
    '-q',
    '-t',
    type,
    ...(bits === '' ? [] : ['-b', bits]),
    '-N',
    '',
    '-C',
    'a b',
    '-f',
    file,
  ])
  return { file, line: readFileSync(`${file}.pub`, 'utf8') }
}

const signedBy = (file: string, namespace = SSH_NAMESPACE, hash = 'sha512'): string =>
  execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', namespace, '-O', `hashalg=${hash}`, '-f', file], {
    input: MESSAGE,
    encoding: 'utf8',
  })

describe.skipIf(!there)('ssh-keygen -Y sign', () => {
  test.each([
    ['ed25519', ''],
    ['ecdsa', '256'],
    ['ecdsa', '384'],
    ['ecdsa', '521'],
    ['rsa', '2048'],
  ])('%s %s is verified, and nothing else', (type, bits) => {
    const { file, line } = made(type, bits)
    const armored = signedBy(file)
    expect(verifySshSignature(line, MESSAGE, armored)).toBe(true)
    expect(verifySshSignature(line, MESSAGE, signedBy(file, SSH_NAMESPACE, 'sha256'))).toBe(true)
    expect(verifySshSignature(line, Buffer.from('other'), armored)).toBe(false)
    expect(verifySshSignature(line, MESSAGE, signedBy(file, 'git'))).toBe(false)
    expect(execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' })).toContain(
      sshFingerprint(readSshPublicKey(line)),
    )
    const lines = armored.split('\n')
    for (let at = 1; at < lines.length - 2; at++) {
      const text = lines[at] ?? ''
      const changed = lines.with(at, `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}`).join('\n')
      expect(verifySshSignature(line, MESSAGE, changed)).toBe(false)
    }
  })

  test('one key’s signature is not another’s', () => {
    const [one, other] = [made('ed25519', ''), made('ecdsa', '256')]
    expect(verifySshSignature(other.line, MESSAGE, signedBy(one.file))).toBe(false)
  })

  test('a key of RSA that is too short is not read', () => {
    expect(() => readSshPublicKey(made('rsa', '1024').line)).toThrow('2048')
  })
})

const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A small security key: its signed data contain its flags (PROTOCOL.u2f). */
const securityKey = (curve: 'ed25519' | 'P-256') => {
  const pair = curve === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: curve })
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' })
  const [px, py] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  const type = curve === 'ed25519' ? 'sk-ssh-ed25519@openssh.com' : 'sk-ecdsa-sha2-nistp256@openssh.com'
  const point = curve === 'ed25519' ? [text(px)] : [text('nistp256'), text(Buffer.concat([Buffer.from([4]), px, py]))]
  const blob = Buffer.concat([text(type), ...point, text('ssh:')])
  const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest()
  return {
    line: `${type} ${blob.toString('base64')}`,
    sign: (flags: number): string => {
      const digest = createHash('sha512').update(MESSAGE).digest()
      const outer = Buffer.concat([Buffer.from('SSHSIG'), text(SSH_NAMESPACE), text(''), text('sha512'), text(digest)])
      const [flag, counter] = [Buffer.from([flags]), Buffer.from([0, 0, 0, 9])]
      const inner = Buffer.concat([sha256('ssh:'), flag, counter, sha256(outer)])
      let raw: Buffer
      if (curve === 'ed25519') raw = sign(null, inner, pair.privateKey)
      else {
        const plain = sign('sha256', inner, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' })
        const number = (part: Buffer): Buffer => {
          const short = part.subarray(part.findIndex((byte) => byte !== 0))
          return text((short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short)
        }
        raw = Buffer.concat([number(plain.subarray(0, 32)), number(plain.subarray(32))])
      }
      const signature = Buffer.concat([text(type), text(raw), flag, counter])
      const whole = Buffer.concat([
        Buffer.from('SSHSIG'),
        Buffer.from([0, 0, 0, 1]),
        ...[blob, SSH_NAMESPACE, '', 'sha512', signature].map(text),
      ])
      const lines = whole.toString('base64').match(/.{1,70}/g) ?? []
      return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n')
    },
  }
}

test.each(['ed25519', 'P-256'] as const)('a security key (%s) has to be touched', (curve) => {
  const key = securityKey(curve)
  writeFileSync(join(folder, 'sk.pub'), key.line)
  expect(readSshPublicKey(key.line).application).toBeDefined()
  expect(verifySshSignature(key.line, MESSAGE, key.sign(1))).toBe(true)
  expect(verifySshSignature(key.line, MESSAGE, key.sign(5))).toBe(true)
  expect(verifySshSignature(key.line, MESSAGE, key.sign(0))).toBe(false)
  expect(verifySshSignature(key.line, MESSAGE, key.sign(4))).toBe(false)
})

test.each(['', 'ssh-ed25519', 'ssh-ed25519 AAAA', 'ssh-dss AAAAB3NzaC1kc3M=', 'x'.repeat(100_000)])(
  'is not a public key: %.30s',
  (line) => {
    expect(() => readSshPublicKey(line)).toThrow(RangeError)
    expect(verifySshSignature(line, MESSAGE, '')).toBe(false)
  },
)
