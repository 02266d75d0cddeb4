import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEnvironment } from '../../test/support/environment-file.ts'
import { environmentText, quotedWord, serviceCommand, serviceEnvironment } from './service.ts'
import { systemLayout } from './layout.ts'

const layout = systemLayout('linux')

test('the service starts the installed program with the folders of the layout', () => {
  const command = serviceCommand({
    layout,
    node: '/usr/bin/node',
    main: '/usr/lib/sallyport/dist/cli/main.js',
    port: 4775,
  })
  expect(command.join(' ')).toBe(
    '/usr/bin/node --disable-sigusr1 /usr/lib/sallyport/dist/cli/main.js serve --data /var/lib/sallyport/data --hooks /var/lib/sallyport/hooks --port 4775',
  )
})

test('the environment is the guarded user’s, and the configuration root’s', () => {
  const guarded = { name: 'ann', uid: 1000, home: '/home/ann', shell: '/bin/zsh' }
  expect(serviceEnvironment(layout, guarded)).toMatchObject({
    HOME: '/home/ann',
    USER: 'ann',
    LOGNAME: 'ann',
    SHELL: '/bin/zsh',
    SALLYPORT_CONFIG_HOME: '/etc/sallyport/user',
  })
})

test('law: what is written into an environment file is read back', () => {
  const value = fc.string({ unit: fc.constantFrom('a', '/', ' ', '"', '\\', '$', '`', "'", '#', 'é', '%') })
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('HOME', 'USER', 'SHELL'), value), (variables) => {
      expect(readEnvironment(environmentText(variables))).toEqual(variables)
    }),
  )
})

test.each([
  ['/usr/bin/node', '/usr/bin/node'],
  ['/Library/Application Support/x', '"/Library/Application Support/x"'],
  ['a"$`\\b', '"a\\"\\$\\`\\\\b"'],
])('%s is quoted only where it has to be', (word, quoted) => {
  expect(quotedWord(word)).toBe(quoted)
})
