import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { doctor } from './doctor.ts'
import { install } from './install.ts'
import { uninstall } from './uninstall.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import type { CommandRun } from '../../../test/support/run-command.ts'

interface Place {
  readonly home: string
  readonly project: string
  readonly settings: string
  readonly data: string
  readonly env: Record<string, string>
  run(command: typeof install, ...args: string[]): Promise<CommandRun>
  write(path: string, text: string, mode?: number): void
}

/** A home of its own, with no client on its PATH unless a test adds one. */
const makePlace = (): Place => {
  const root = mkdtempSync(join(tmpdir(), 'sp-install-'))
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true })
  })
  const home = join(root, 'home')
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  const env: Record<string, string> = { PATH: join(root, 'bin'), SALLYPORT_CLAUDE_MANAGED: join(root, 'managed') }
  return {
    home,
    project,
    env,
    settings: join(home, '.claude', 'settings.json'),
    data: join(home, '.local', 'share', 'sallyport'),
    write(path, text, mode = 0o644) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      chmodSync(path, mode)
    },
    run: (command, ...args) => runCommand(command, ['claude-code', ...args], { env, cwd: project, home }),
  }
}

const read = (path: string): string => readFileSync(path, 'utf8')
const modeOf = (path: string): number => statSync(path).mode & 0o777

/** A client that reports this version. */
const clientOf = (place: Place, version: string): string => {
  const path = join(place.home, 'claude')
  place.write(path, `#!/bin/sh\necho '${version} (Claude Code)'\n`, 0o755)
  return path
}

type Written = {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly Record<string, unknown>[] }[]>>
}

const firstHandler = (path: string, event: string): Record<string, unknown> | undefined =>
  (JSON.parse(read(path)) as Written).hooks[event]?.[0]?.hooks[0]

const OWN = '{\n\t"model": "opus",\n\t"env": {"A": "1"}\n}'

describe('install and uninstall', () => {
  let place: Place
  beforeEach(() => {
    place = makePlace()
  })

  test('without a file, installing and removing leave nothing', async () => {
    expect(await place.run(install)).toMatchObject({ code: 0 })
    expect(modeOf(place.settings)).toBe(0o600)
    expect(modeOf(join(place.data, 'token'))).toBe(0o600)
    expect(modeOf(place.data)).toBe(0o700)
    expect(await place.run(uninstall)).toMatchObject({ code: 0 })
    expect(existsSync(place.settings)).toBe(false)
  })

  test('a second time changes nothing, not even the file’s date', async () => {
    place.write(place.settings, OWN)
    await place.run(install, '--port', '5001')
    const [text, stat] = [read(place.settings), statSync(place.settings).mtimeMs]
    expect((await place.run(install)).out).toContain('nothing was changed')
    expect([read(place.settings), statSync(place.settings).mtimeMs]).toEqual([text, stat])
  })

  test('removing restores text and permissions to the byte, and leaves nothing in the folder', async () => {
    place.write(place.settings, OWN, 0o644)
    await place.run(install)
    expect(modeOf(place.settings)).toBe(0o600)
    await place.run(install, '--port', '5002')
    await place.run(uninstall)
    expect(read(place.settings)).toBe(OWN)
    expect(modeOf(place.settings)).toBe(0o644)
    expect(readdirSync(dirname(place.settings))).toEqual(['settings.json'])
    expect((await place.run(uninstall)).out).toContain('nothing was changed')
  })

  test('removing restores even an empty object’s own line, after the hooks were changed', async () => {
    place.write(place.settings, '{\n}')
    await place.run(install)
    await place.run(install, '--port', '5005')
    await place.run(uninstall)
    expect(read(place.settings)).toBe('{\n}')
  })

  test('text that the person wrote in between stays', async () => {
    place.write(place.settings, OWN)
    await place.run(install)
    writeFileSync(place.settings, read(place.settings).replace('"opus"', '"haiku"'))
    await place.run(uninstall)
    expect(read(place.settings)).toBe(OWN.replace('"opus"', '"haiku"'))
  })

  test('a `disableAllHooks` of the person’s own stays', async () => {
    place.write(place.settings, '{"disableAllHooks":true}')
    expect((await place.run(install)).err).toContain('were disabled')
    expect(JSON.parse(read(place.settings))).toMatchObject({ disableAllHooks: false })
    await place.run(uninstall)
    expect(read(place.settings)).toBe('{"disableAllHooks":true}')
  })

  test('without the note of the installation the hooks are removed', async () => {
    place.write(place.settings, OWN)
    await place.run(install)
    rmSync(join(place.data, 'installed'), { recursive: true })
    await place.run(uninstall)
    expect(JSON.parse(read(place.settings))).toEqual({ ...(JSON.parse(OWN) as object), disableAllHooks: false })
  })

  test('a linked settings file stays a link', async () => {
    const real = join(place.home, 'dotfiles', 'claude.json')
    place.write(real, OWN)
    mkdirSync(dirname(place.settings), { recursive: true })
    symlinkSync(real, place.settings)
    await place.run(install)
    expect(read(real)).toContain('hooks')
    await place.run(uninstall)
    expect(read(real)).toBe(OWN)
  })

  test('a broken file is refused with the position, and untouched', async () => {
    place.write(place.settings, '{\n  "model": \n}')
    await expect(place.run(install)).rejects.toThrow(/settings\.json:3:1: invalid JSON/)
    expect(read(place.settings)).toBe('{\n  "model": \n}')
    await expect(place.run(uninstall)).rejects.toThrow(/invalid JSON/)
  })

  test('project: into the file that is not committed; managed: readable by everyone', async () => {
    await place.run(install, '--scope', 'project')
    expect(readdirSync(join(place.project, '.claude'))).toEqual(['settings.local.json'])
    expect((await place.run(install, '--scope', 'managed')).err).toContain('Everyone on this machine')
    const managed = join(dirname(place.home), 'managed', 'managed-settings.d', 'sallyport.json')
    expect(modeOf(managed)).toBe(0o644)
    await place.run(uninstall, '--scope', 'managed')
    expect(existsSync(managed)).toBe(false)
  })

  test.each([
    { version: '2.1.330', type: 'http', shell: false, warned: false },
    { version: '2.1.200', type: 'command', shell: false, warned: false },
    { version: '2.0.60', type: 'command', shell: true, warned: false },
    { version: 'no version', type: 'http', shell: false, warned: true },
  ])('a client of version $version gets $type hooks', async ({ version, type, shell, warned }) => {
    const { err, code } = await place.run(install, '--client', clientOf(place, version))
    expect(code).toBe(0)
    const handler = firstHandler(place.settings, 'PreToolUse')
    expect(handler).toMatchObject({ type, onFailure: 'block' })
    expect(handler?.['args'] === undefined && type === 'command').toBe(shell)
    expect(err.includes('did not report its version')).toBe(warned)
  })

  test('the timeout of the command line is the one of every hook', async () => {
    await place.run(install, '--timeout', '2')
    const { hooks } = JSON.parse(read(place.settings)) as Written
    const all = Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks))
    expect(new Set(all.map(({ timeout }) => timeout))).toEqual(new Set([2]))
  })

  test('the port is the one in the settings, else the one of the configuration', async () => {
    place.write(join(place.home, '.config', 'sallyport', 'sallyport.yaml'), 'server:\n  port: 5003\n')
    await place.run(install)
    expect(firstHandler(place.settings, 'Stop')?.['url']).toContain(':5003/')
    await place.run(install, '--port', '5004')
    await place.run(install)
    expect(firstHandler(place.settings, 'Stop')?.['url']).toContain(':5004/')
  })

  test('root by `sudo` with another home is sent back: the guard would be root’s', async () => {
    place.env['SUDO_UID'] = '54321'
    await expect(place.run(install, '--scope', 'managed')).rejects.toThrow(/preserve-env=HOME/)
    expect(existsSync(place.data)).toBe(false)
  })

  test.runIf(process.getuid?.() === 0)('what root makes in a person’s home is the person’s', async () => {
    chownSync(place.home, 12345, 12345)
    await place.run(install)
    const made = [join(place.home, '.local'), place.data, join(place.data, 'token'), join(place.data, 'installed')]
    for (const path of [...made, dirname(place.settings), place.settings]) expect(statSync(path).uid, path).toBe(12345)
  })

  test.each([
    { args: ['--scope', 'mine'], message: /--scope is user, project or managed/ },
    { args: ['--port', '0'], message: /--port takes a whole number/ },
    { args: ['--port', '70000'], message: /--port takes a whole number/ },
    { args: ['openclaw'], message: /takes one host/ },
    { args: ['--nope'], message: /nope/ },
  ])('wrong use: $args', async ({ args, message }) => {
    await expect(place.run(install, ...args)).rejects.toThrow(message)
    expect(existsSync(place.settings)).toBe(false)
  })

  test('doctor: fails before, gives advice, and names a guard that does not run after', async () => {
    const client = clientOf(place, '2.1.330')
    const before = await place.run(doctor, '--no-canary', '--client', client)
    expect(before).toMatchObject({ code: 1, err: '' })
    expect(before.out).toContain('Run `sallyport install claude-code`')
    await place.run(install, '--client', client)
    const after = await place.run(doctor, '--no-canary', '--json', '--client', client)
    const { ok, checks } = JSON.parse(after.out) as {
      ok: boolean
      checks: { name: string; status: string; found: string }[]
    }
    expect({ ok, code: after.code }).toEqual({ ok: true, code: 0 })
    expect(checks.find(({ name }) => name === 'guard')).toMatchObject({ status: 'warn' })
    expect(checks.find(({ name }) => name === 'boundary')?.found).toMatch(/^The boundary is the policy: [^.]+\.$/)
  })

  test('a later addition of another program is not accepted by installing again', async () => {
    await place.run(install)
    const settings = JSON.parse(read(place.settings)) as { hooks: Record<string, unknown[]> }
    settings.hooks['PreToolUse']?.push({ hooks: [{ type: 'command', command: 'node rewrite.js' }] })
    delete settings.hooks['PostToolUse']
    place.write(place.settings, JSON.stringify(settings))
    const again = await place.run(install)
    expect(again.err).toContain('a PreToolUse hook was added: command node rewrite.js')
    const { out } = await place.run(doctor, '--no-canary')
    expect(out).toMatch(/PreToolUse hook was added/)
    expect(out).not.toMatch(/PostToolUse hook was/)
  })
})
