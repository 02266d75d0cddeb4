import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { enrolKey, PASSPHRASE } from '../../../test/support/enrolled-key.ts'
import { openSqliteApprovalStore } from '../../record/approvals/sqlite.ts'
import { openSeenKeyring } from '../../assembly/record/open-keyring.ts'
import { openSqliteStore } from '../../record/stores/sqlite.ts'
import type { ExitCode, Io } from '../io/io.ts'
import { run } from '../run.ts'
import { startGuard } from '../serve/start-guard.ts'

const there = spawnSync('ssh-keygen', ['-?']).error === undefined
if (!there) process.stderr.write('SKIPPED: ssh-keygen is not installed (Debian: openssh-client)\n')

let home: string
let data: string
let printed: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sallyport-keys-'))
  data = join(home, 'data')
})
afterEach(() => {
  rmSync(home, { recursive: true })
})

/** Runs a command as at a terminal with these lines of hidden input; without any, as in a pipe. */
const cli = async (args: readonly string[], typed?: readonly string[], env: Io['env'] = {}): Promise<ExitCode> => {
  printed = ''
  const left = [...(typed ?? [])]
  return run([...args, '--data', data], {
    out: (text) => (printed += `${text}\n`),
    err: (text) => (printed += `${text}\n`),
    stdin: async () => PASSPHRASE,
    ...(typed === undefined
      ? {}
      : {
          readSecret: async (prompt: string) => {
            printed += `${prompt}\n`
            const line = left.shift()
            if (line === undefined) throw new Error('nothing more is typed')
            return line
          },
        }),
    env: { PATH: process.env['PATH'], SALLYPORT_CONFIG_HOME: home, ...env },
    cwd: home,
    home,
    isTty: typed !== undefined,
    signal: new AbortController().signal,
  })
}

const ADD = ['add', 'passphrase'] as const

const names = async (): Promise<readonly string[]> => {
  await cli(['keys', 'ls', '--json'])
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { readonly name: string }).name)
}

describe('keys', () => {
  test('the first is enrolled in a terminal, signs for itself, and is stored encrypted', async () => {
    expect(
      await cli(['keys', 'add', 'passphrase', 'laptop'], ['short', PASSPHRASE, 'other', PASSPHRASE, PASSPHRASE]),
    ).toBe(0)
    expect(printed).toContain('too short')
    expect(printed).toContain('do not match')
    expect(printed).toMatch(/laptop is now enrolled: SHA256:/)
    expect(await names()).toEqual(['laptop'])
    const [file = ''] = readdirSync(join(data, 'signing-keys'))
    const path = join(data, 'signing-keys', file)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).not.toContain(PASSPHRASE)
    await cli(['trace', 'show', 'guard'])
    expect(printed).toContain('KeysSeen')
  }, 30_000)

  test.each<{ name: string; typed?: readonly string[]; env?: Io['env']; code: string }>([
    { name: 'without a terminal', code: 'SP_SIGN_TERMINAL' },
    {
      name: 'in an agent’s shell',
      typed: [PASSPHRASE, PASSPHRASE],
      env: { CLAUDECODE: '1' },
      code: 'SP_APPROVAL_AGENT',
    },
  ])('none is enrolled $name', async ({ typed, env, code }) => {
    expect(await cli(['keys', 'add', 'passphrase'], typed, env)).toBe(2)
    expect(printed).toContain(code)
    expect(existsSync(join(data, 'keys.json'))).toBe(false)
    expect(existsSync(join(data, 'signing-keys'))).toBe(false)
  })

  test('each later change is signed by an enrolled key', async () => {
    mkdirSync(data)
    await enrolKey(data)
    expect(
      await cli(
        ['keys', 'add', 'passphrase', 'desk'],
        ['another passphrase', 'another passphrase', 'wrong', 'wrong', 'wrong'],
      ),
    ).toBe(2)
    expect(printed).toContain('SP_SIGN_FAILED')
    expect(await names()).toEqual(['laptop'])
    expect(readdirSync(join(data, 'signing-keys'))).toHaveLength(1)
    expect(await cli(['keys', 'remove', 'laptop'], [PASSPHRASE])).toBe(2)
    expect(printed).toContain('the last key cannot be removed')
    expect(
      await cli(['keys', 'add', 'passphrase', 'desk'], ['another passphrase', 'another passphrase', PASSPHRASE]),
    ).toBe(0)
    expect(await names()).toEqual(['laptop', 'desk'])
    expect(await cli(['keys', 'remove', 'laptop', '--key', 'desk'], ['another passphrase'])).toBe(0)
    expect(await names()).toEqual(['desk'])
  }, 30_000)

  test.each([
    { name: 'no kind', args: ['add'] },
    { name: 'an unknown kind', args: ['add', 'stamp'] },
    { name: 'an invalid name', args: [...ADD, '\u202ex'] },
    { name: 'ssh without a file', args: ['add', 'ssh'] },
    { name: 'too many arguments', args: [...ADD, 'a', 'b'] },
    { name: 'an unknown key', args: ['remove', 'x'] },
    { name: 'no subcommand', args: [] },
  ])('wrong use: $name', async ({ args }) => {
    mkdirSync(data)
    await enrolKey(data)
    await openSqliteStore({ path: join(data, 'trace.db') }).close()
    expect(await cli(['keys', ...args], [])).toBe(2)
    expect(printed).toContain('SP_USAGE')
  })

  test.skipIf(!there)(
    'SSH keys sign by ssh-keygen; those that sign without a touch need a flag and a warning',
    async () => {
      mkdirSync(join(home, '.ssh'))
      const file = join(home, '.ssh', 'id_ed25519')
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
      expect(await cli(['keys', 'add', 'ssh', `${file}.pub`], [])).toBe(2)
      expect(printed).toContain('--allow-no-touch')
      expect(await cli(['keys', 'add', 'ssh', `${file}.pub`, 'yubi', '--allow-no-touch'], [])).toBe(0)
      expect(printed).toContain('cannot be verified')
      await cli(['keys', 'ls'])
      expect(printed).toContain('A program can sign with it')
      // Its private half is found beside it, and its signature is verified here.
      writeFileSync(join(home, 'settings.json'), '{}')
      expect(await cli(['accept', join(home, 'settings.json')])).toBe(0)
      expect(printed).toContain('Accepted: 1 file.')
      const store = openSqliteApprovalStore({ path: join(data, 'approvals.db') })
      expect(store.acceptances()).toMatchObject([{ signature: { kind: 'ssh' } }])
      store.close()
    },
  )
})

describe('a file of keys that differs from what the guard has seen', () => {
  const path = (): string => join(data, 'keys.json')
  const start = (logged: string[]) =>
    startGuard({ data, env: { SALLYPORT_CONFIG_HOME: home }, home, port: 0, log: (line) => logged.push(line) })

  test('is rejected by a running guard, and by the next one', async () => {
    mkdirSync(data)
    await enrolKey(data)
    const own = readFileSync(path(), 'utf8')
    const logged: string[] = []
    const guard = await start(logged)
    await guard.stop()
    // An agent replaces the person's key by its own.
    rmSync(path())
    await enrolKey(data, 'mine')
    const next = await start(logged)
    const trace = openSqliteStore({ path: join(data, 'trace.db') })
    const keyring = await openSeenKeyring(trace, { path: path() })
    expect(keyring.current().keys).toEqual([])
    expect(keyring.fault()).toContain('does not continue')
    expect(await cli(['keys', 'ls'])).toBe(2)
    expect(printed).toContain('SP_KEYS_CHANGED')
    expect(await cli(['keys', 'add', 'passphrase'], [PASSPHRASE, PASSPHRASE])).toBe(2)
    writeFileSync(path(), own)
    expect(keyring.current().keys.map(({ name }) => name)).toEqual(['laptop'])
    expect(keyring.fault()).toBeUndefined()
    // Also while running: the last accepted list stays valid.
    writeFileSync(path(), '[]')
    expect(keyring.current().keys.map(({ name }) => name)).toEqual(['laptop'])
    expect(keyring.fault()).toContain('does not continue')
    rmSync(path())
    expect(keyring.fault()).toContain('does not continue')
    writeFileSync(path(), '{')
    expect(keyring.fault()).toContain('not JSON')
    await trace.close()
    await next.stop()
    expect(logged.join('\n')).toContain('keys-refused')
    await cli(['trace', 'show', 'guard'])
    expect(printed).toContain('KeysRefused')
  }, 30_000)

  test('a first key is rejected too when the record and the list are both missing, and the guard reports it', async () => {
    mkdirSync(data)
    await enrolKey(data)
    const logged: string[] = []
    await (await start(logged)).stop()
    for (const name of readdirSync(data)) if (/^(?:trace\.db.*|keys\.json)$/.test(name)) rmSync(join(data, name))
    const next = await start(logged)
    expect(await cli(['keys', 'add', 'passphrase'], [PASSPHRASE, PASSPHRASE])).toBe(2)
    expect(printed).toContain('SP_KEYS_CHANGED')
    await next.stop()
    expect(logged.join('\n')).toContain('keys-refused')
  }, 30_000)
})
