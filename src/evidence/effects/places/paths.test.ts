import { expect, test } from 'vitest'
import { GUARD, WORLD } from '../fixture.ts'
import { createGivenWorld } from '../world/given-world.ts'
import { createPaths } from './paths.ts'

const paths = createPaths(WORLD, { id: 's', cwd: '/home/user/app', project: '/home/user/app' }, GUARD.paths)

const CASES = [
  ['/', 'root'],
  ['//', 'root'],
  ['/..', 'root'],
  ['/etc/hosts', 'system'],
  ['/usr/bin/rm', 'system'],
  ['/home', 'system'],
  ['/var/lib/x', 'system'],
  ['/var/log/nginx/access.log.3.gz', 'cache'],
  ['/var/log/syslog.1', 'cache'],
  ['/var/log/syslog', 'system'],
  ['/var/log/auth.log.1', 'system'],
  ['/var/log/audit/audit.log.4', 'system'],
  ['/dev/sda', 'device'],
  ['/home/user', 'home'],
  ['/home/other', 'home'],
  ['/root', 'home'],
  ['/home/user/docs/letter.txt', 'home-file'],
  ['/home/user/app', 'workspace-root'],
  ['.', 'workspace-root'],
  ['src/a.ts', 'workspace'],
  ['../app/src', 'workspace'],
  ['.git', 'vcs'],
  ['.git/hooks/pre-commit', 'vcs'],
  ['.gitignore', 'workspace'],
  ['/tmp/x', 'temp'],
  ['/tmp', 'temp'],
  ['/private/tmp/x', 'temp'],
  ['/data/x', 'other'],
  ['/home/user/.ssh/id_rsa', 'credential'],
  ['/home/user/.SSH/ID_RSA', 'credential'],
  ['/home/user/.ssh', 'credential'],
  ['/home/user/.ssh/id_rsa.pub', 'home-file'],
  ['/home/user/.ssh/known_hosts', 'home-file'],
  ['/home/user/.aws/credentials', 'credential'],
  ['/home/user/.config/gh/hosts.yml', 'credential'],
  ['/home/user/.npmrc', 'credential'],
  ['/home/user/.npmrc.md', 'home-file'],
  ['/root/.kube/config', 'credential'],
  ['/etc/shadow', 'credential'],
  ['/proc/self/environ', 'credential'],
  ['/proc/1/environ', 'credential'],
  ['server.pem', 'credential'],
  ['node_modules/x/cacert.pem', 'workspace'],
  ['.env', 'dotenv'],
  ['.env.production', 'dotenv'],
  ['.env.example', 'workspace'],
  ['config/.env.sample', 'workspace'],
  ['escape/passwd', 'system'],
  ['escape/../passwd', 'other'],
  ['escape/shadow', 'credential'],
  ['/home/user/.claude/settings.json', 'guard'],
  ['/home/user/.CLAUDE/settings.JSON', 'guard'],
  ['/home/user/.claude/./x/../settings.json', 'guard'],
  ['/home/user/.claude/settings.json\0.txt', 'guard'],
  ['innocent/token', 'guard'],
  ['/home/user/.claude', 'home-file'],
] as const

test.each(CASES.map(([raw, zone]) => ({ raw, zone })))('$raw is in $zone', ({ raw, zone }) => {
  expect(paths.resolve(raw, '/home/user/app', 'content').zone).toBe(zone)
})

test('deleting a link does not delete its target', () => {
  expect(paths.resolve('escape', '/home/user/app', 'entry')).toMatchObject({
    path: '/home/user/app/escape',
    zone: 'workspace',
  })
  expect(paths.resolve('escape/', '/home/user/app', 'entry')).toMatchObject({ path: '/etc', zone: 'system' })
})

test('a relative path from a folder not known is unresolved', () => {
  expect(paths.resolve('x', undefined, 'content').zone).toBe('unresolved')
  expect(paths.resolve('/etc/x', undefined, 'content').zone).toBe('system')
})

test('folders that contain the guard are known', () => {
  expect(['/home/user/.claude', '/home/user', '/'].map(paths.holdsGuard)).toEqual([true, true, true])
  expect(['/home/user/app', '/home/user/.clau', ''].map(paths.holdsGuard)).toEqual([false, false, false])
})

test.each([
  ['/srv/app', 'a.ts', 'workspace'],
  ['/srv/app', '.', 'workspace-root'],
  ['/srv/app', '..', 'system'],
  ['/opt/app', 'src/a.ts', 'workspace'],
  ['/var/www/site', 'index.html', 'workspace'],
  ['/var/www/site', '/var/www/site', 'workspace-root'],
  ['/var/www/site', '/var/www', 'system'],
  ['/mnt/c/work', '.', 'workspace-root'],
  ['/data', 'a.csv', 'workspace'],
  ['/data', '.', 'workspace-root'],
  ['/srv', 'app/a.ts', 'workspace'],
  ['/etc', 'passwd', 'system'],
  ['/usr', '.', 'system'],
  ['/', 'etc', 'system'],
])('in the workspace %s, %s is %s', (project, path, zone) => {
  const seen = createPaths(WORLD, { id: 's', cwd: project, project }, GUARD.paths)
  expect(seen.resolve(path, project, 'content').zone).toBe(zone)
})

const WINDOWS = createPaths(
  createGivenWorld({ home: String.raw`C:\Users\me` }),
  { id: 's', cwd: String.raw`D:\work\app`, project: String.raw`D:\work\app` },
  [String.raw`C:\Users\me\.config\sallyport`],
)

test.each([
  [String.raw`D:\work\app`, 'workspace-root'],
  ['.', 'workspace-root'],
  [String.raw`src\a.ts`, 'workspace'],
  ['/d/work/app/src/a.ts', 'workspace'],
  [String.raw`d:\WORK\App\.git\hooks\x`, 'vcs'],
  [String.raw`D:\work`, 'workspace-root'],
  [String.raw`C:\dev\portal`, 'other'],
  [String.raw`C:\home\x`, 'other'],
  [String.raw`D:\\`, 'root'],
  [String.raw`C:\Windows\..`, 'root'],
  [String.raw`C:\Windows\System32\drivers\etc\hosts`, 'system'],
  [String.raw`C:\PROGRA~1\Git`, 'system'],
  [String.raw`C:\Windows\System32\config\SAM`, 'credential'],
  [String.raw`C:\Users`, 'home'],
  [String.raw`C:\Users\me`, 'home'],
  [String.raw`C:\Documents and Settings\me`, 'home'],
  [String.raw`C:\Users\me\Documents\a.txt`, 'home-file'],
  [String.raw`~\.aws\credentials`, 'credential'],
  [String.raw`C:\Users\me\SSH~1\id_rsa`, 'credential'],
  [String.raw`C:\Users\me\.ssh\config`, 'home-file'],
  [String.raw`C:\Users\me\AppData\Local\Google\Chrome\User Data\Default\Login Data`, 'credential'],
  [String.raw`C:\Users\me\AppData\Roaming\Microsoft\Protect\S-1-5`, 'credential'],
  [String.raw`C:\Users\me\AppData\Roaming\Code\User\settings.json`, 'home-file'],
  [String.raw`C:\Users\me\AppData\Local\Temp\x`, 'temp'],
  [String.raw`C:\Users\me\AppData\Local\npm-cache`, 'cache'],
  [String.raw`C:\Users\me\.config\sallyport\x`, 'guard'],
  [String.raw`C:\Users\other\.claude\settings.json`, 'guard'],
  [String.raw`\\server\share\x`, 'other'],
  ['appsettings.Production.json', 'dotenv'],
  ['appsettings.json', 'workspace'],
])('on Windows %s is %s', (raw, zone) => {
  expect(WINDOWS.resolve(raw, WINDOWS.cwd, 'content').zone).toBe(zone)
})

test.each([
  ['/mnt/c/Users/me/.ssh/id_rsa', 'credential'],
  ['/mnt/c/Windows/System32', 'system'],
  ['/mnt/c', 'root'],
  ['/mnt/c/dev/app', 'other'],
  ['/mnt/data/x', 'system'],
  [String.raw`C:\Users\me`, 'home'],
])('inside Windows %s is %s', (raw, zone) => {
  expect(paths.resolve(raw, paths.cwd, 'content').zone).toBe(zone)
})

test.each([{}, { cwd: '' }, { cwd: 'app', project: 'app' }, { cwd: '~/app' }])(
  'without an absolute folder nothing is a workspace: %o',
  (folders) => {
    const without = createPaths(WORLD, { id: 's', ...folders }, GUARD.paths)
    expect(without.cwd).toBe('/')
    expect(without.resolve('dist', without.cwd, 'entry')).toMatchObject({ path: '/dist', zone: 'other' })
  },
)
