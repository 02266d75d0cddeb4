import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { launchdPlist } from './launchd.ts'
import { systemLayout } from './layout.ts'

const layout = systemLayout('darwin')
const plist = (home: string): string =>
  launchdPlist(
    { layout, node: '/usr/local/bin/node', main: `${layout.program}/dist/cli/main.js`, port: 4775 },
    { name: 'ann', uid: 501, home, shell: '/bin/zsh' },
  )

const READ = 'import sys, json, plistlib; json.dump(plistlib.loads(sys.stdin.buffer.read()), sys.stdout)'
const read = (text: string) => spawnSync('python3', ['-c', READ], { input: text, encoding: 'utf8' })
const hasReader = read('<plist version="1.0"><dict/></plist>').status === 0
if (!hasReader) process.stderr.write('!!!!! python3 with plistlib is not here: the property list is NOT parsed !!!!!\n')

test.skipIf(!hasReader)('a parser of property lists reads the daemon as it is meant', () => {
  expect(JSON.parse(read(plist('/Users/<ann> & co')).stdout)).toEqual({
    Label: 'dev.sallyport.guard',
    UserName: '_sallyport',
    GroupName: 'staff',
    ProgramArguments: [
      '/usr/local/bin/node',
      '--disable-sigusr1',
      '/Library/Application Support/Sallyport/program/dist/cli/main.js',
      'serve',
      '--data',
      '/Library/Application Support/Sallyport/state/data',
      '--hooks',
      '/Library/Application Support/Sallyport/state/hooks',
      '--port',
      '4775',
    ],
    EnvironmentVariables: {
      HOME: '/Users/<ann> & co',
      USER: 'ann',
      LOGNAME: 'ann',
      SHELL: '/bin/zsh',
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      SALLYPORT_CONFIG_HOME: '/Library/Application Support/Sallyport/user',
    },
    WorkingDirectory: '/',
    Umask: 0o077,
    RunAtLoad: true,
    KeepAlive: true,
    ThrottleInterval: 1,
    StandardOutPath: '/dev/null',
    StandardErrorPath: '/Library/Application Support/Sallyport/state/data/guard.log',
  })
})
