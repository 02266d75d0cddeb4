import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemLayout } from './layout.ts'
import { systemdUnit } from './systemd.ts'

const layout = systemLayout('linux')
const unitOf = (node: string): string =>
  systemdUnit({ layout, node, main: '/usr/lib/sallyport/dist/cli/main.js', port: 4775 })

const hasVerify = spawnSync('systemd-analyze', ['--version']).status === 0
if (!hasVerify) process.stderr.write('!!!!! systemd-analyze is not here: the unit is NOT verified !!!!!\n')

const folderOf = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sp-unit-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

const verified = (text: string): string => {
  const path = join(folderOf(), 'sallyport.service')
  writeFileSync(path, text)
  return spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' }).stderr
}

test.skipIf(!hasVerify)('systemd finds nothing wrong with the unit', () => {
  expect(verified(unitOf(process.execPath))).not.toContain('sallyport.service')
})

test.skipIf(!hasVerify)('control: systemd finds a directive that it does not know', () => {
  expect(verified(unitOf(process.execPath).replace('NoNewPrivileges=', 'NoNewPrivilege='))).toMatch(/Unknown key/)
})

test('the guard reads and sees what it needs, and writes nothing but its own folder', () => {
  const unit = unitOf('/usr/bin/node')
  for (const line of [
    'User=sallyport',
    'AmbientCapabilities=CAP_DAC_READ_SEARCH CAP_SYS_PTRACE',
    'CapabilityBoundingSet=CAP_DAC_READ_SEARCH CAP_SYS_PTRACE',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'ProtectHome=read-only',
    'StateDirectory=sallyport',
    'EnvironmentFile=/etc/sallyport/service.env',
    'Restart=always',
  ])
    expect(unit.split('\n')).toContain(line)
  // These would hide from the analysis what an agent's calls are about.
  expect(unit).not.toMatch(/^(?:PrivateTmp|PrivateUsers|ProtectProc|PrivateNetwork)=/m)
})

test('a path with characters that systemd reads otherwise stays one word', () => {
  expect(unitOf('/opt/100% node/bin')).toContain('ExecStart="/opt/100%% node/bin" --disable-sigusr1 /usr/lib/')
})
