import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openKeyring } from '../certificates/keyring.ts'
import { bundleFile, dropBundle, writeBundle } from '../certificates/trust-bundle.ts'
import { publishedBundle, publishForHooks } from './publish.ts'

const place = () => {
  const root = mkdtempSync(join(tmpdir(), 'sp-publish-'))
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true })
  })
  const it = { token: join(root, 'token'), tls: join(root, 'tls'), hooks: join(root, 'hooks') }
  writeFileSync(it.token, 'the token\n', { mode: 0o600 })
  const { certificates } = openKeyring(it.tls, Date.now())
  const bundle = bundleFile(it.tls, 'claude-code-managed-1')
  writeBundle(bundle, certificates, undefined)
  return { ...it, bundle }
}

test('token and certificates are published for everybody to read, and no key', () => {
  const it = place()
  publishForHooks(it)
  const all = readdirSync(it.hooks, { recursive: true, encoding: 'utf8' }).toSorted()
  expect(all).toEqual(['tls', 'tls/certificates.pem', 'tls/trust-claude-code-managed-1.pem', 'token'])
  const texts = all.filter((name) => name !== 'tls').map((name) => readFileSync(join(it.hooks, name), 'utf8'))
  expect(texts.join('')).not.toContain('PRIVATE KEY')
  expect(readFileSync(publishedBundle(it.hooks, it.bundle), 'utf8')).toBe(readFileSync(it.bundle, 'utf8'))
  const modes = ['.', ...all].map((name) => (statSync(join(it.hooks, name)).mode & 0o777).toString(8))
  expect(modes).toEqual(['755', '755', '644', '644', '644'])
})

test('what is renewed is published anew, and a bundle that is gone is taken away', () => {
  const it = place()
  publishForHooks(it)
  dropBundle(it.bundle)
  writeFileSync(it.token, 'another token\n')
  publishForHooks(it)
  expect(readdirSync(join(it.hooks, 'tls'))).toEqual(['certificates.pem'])
  expect(readFileSync(join(it.hooks, 'token'), 'utf8')).toBe('another token\n')
})
