import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commandIsIn, hostIsIn, matchesWildcard, pathIsIn, pathTouches, patternProblem } from './patterns.ts'

const roots = { home: '/home/dev', project: '/home/dev/app' }

describe('paths', () => {
  test.each([
    { pattern: '/etc', path: '/etc/passwd', is: true },
    { pattern: '/etc/**', path: '/etc', is: true },
    { pattern: '/etc/**', path: '/etcetera', is: false },
    { pattern: '/etc/*', path: '/etc', is: false },
    { pattern: '~/.ssh', path: '/home/dev/.ssh/id_rsa', is: true },
    { pattern: '~', path: '/home/dev/x', is: true },
    { pattern: './dist/**', path: '/home/dev/app/dist/a/b', is: true },
    { pattern: './dist/**', path: '/home/dev/dist/a', is: false },
    { pattern: '**/*.pem', path: '/a/b/c.pem', is: true },
    { pattern: '**/*.pem', path: '/c.pem', is: true },
    { pattern: '**/secrets/**', path: '/a/secrets/b', is: true },
    { pattern: '/a/**/z', path: '/a/z', is: true },
    { pattern: '/a/**/z', path: '/a/b/c/z/d', is: true },
    { pattern: '/a/*/z', path: '/a/b/c/z', is: false },
    { pattern: '/', path: '/anything', is: true },
  ])('$pattern matches $path: $is', ({ pattern, path, is }) => {
    expect(pathIsIn(pattern, path, roots)).toBe(is)
  })

  test.each([
    { pattern: '/srv/data/**', path: '/srv', touches: true },
    { pattern: '/srv/data/**', path: '/', touches: true },
    { pattern: '/srv/data', path: '/srv/data/x', touches: true },
    { pattern: '/srv/data', path: '/var', touches: false },
    { pattern: '**/*.pem', path: '/home/dev/app', touches: false },
  ])('removing $path affects $pattern: $touches', ({ pattern, path, touches }) => {
    expect(pathTouches(pattern, path, roots)).toBe(touches)
  })

  test('a project pattern matches nothing in an unknown project', () => {
    expect(pathIsIn('./x', '/home/dev/app/x', { home: '/home/dev', project: undefined })).toBe(false)
  })

  test('further stars before and behind a pattern that begins with them change nothing', () => {
    const part = fc.constantFrom('a', 'b', 'a*', '*', '**')
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 3 }),
        fc.array(fc.constantFrom('a', 'b', 'ab'), { maxLength: 4 }),
        (inner, names) => {
          const [plain, path] = [`**/${inner.join('/')}`, `/${names.join('/')}`]
          for (const same of [`**/${plain}`, `${plain}/**`, `**/${plain}/**`]) {
            expect(pathIsIn(same, path, roots)).toBe(pathIsIn(plain, path, roots))
            expect(pathTouches(same, path, roots)).toBe(pathTouches(plain, path, roots))
          }
        },
      ),
    )
  })

  test('a pattern without stars matches everything below its path', () => {
    const name = fc.stringMatching(/^[a-z.-]{1,8}$/).filter((one) => one !== '.' && one !== '..')
    const names = fc.array(name, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(names, fc.array(name, { maxLength: 3 }), (above, below) => {
        const pattern = `/${above.join('/')}`
        expect(pathIsIn(pattern, `/${[...above, ...below].join('/')}`, roots)).toBe(true)
        expect(pathTouches(pattern, `/${above.slice(0, -1).join('/')}`, roots)).toBe(true)
      }),
    )
  })
})

describe('hosts', () => {
  test.each([
    { pattern: 'example.com', host: 'Example.COM.', is: true },
    { pattern: 'example.com', host: 'example.com:8443', is: true },
    { pattern: 'example.com', host: 'api.example.com', is: false },
    { pattern: '*.example.com', host: 'api.example.com', is: true },
    { pattern: '*.example.com', host: 'example.com', is: false },
    { pattern: '*.example.com', host: 'badexample.com', is: false },
    { pattern: '**.example.com', host: 'api.example.com', is: true },
    { pattern: '**.example.com', host: 'example.com:443', is: true },
    { pattern: '**.example.com', host: 'badexample.com', is: false },
    { pattern: '*', host: '10.0.0.1', is: true },
    { pattern: '::1', host: '::1', is: true },
    { pattern: '::1', host: '[::1]:443', is: true },
    { pattern: 'example.com', host: 'example.com.:443', is: true },
  ])('$pattern matches $host: $is', ({ pattern, host, is }) => {
    expect(hostIsIn(pattern, host)).toBe(is)
  })
})

test('a program is identified by its name, in any folder', () => {
  expect(commandIsIn('curl', '/usr/bin/curl')).toBe(true)
  expect(commandIsIn('docker-*', 'docker-compose')).toBe(true)
  expect(commandIsIn('curl', 'mycurl')).toBe(false)
})

describe('wildcards', () => {
  test('agree with the equivalent regular expression', () => {
    const some = fc.stringMatching(/^[ab*]{0,8}$/)
    fc.assert(
      fc.property(some, fc.stringMatching(/^[ab]{0,10}$/), (pattern, text) => {
        expect(matchesWildcard(pattern, text)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text))
      }),
      { numRuns: 500 },
    )
  })
})

test.each([
  { form: 'path', pattern: 'etc/passwd' },
  { form: 'path', pattern: '' },
  { form: 'path', pattern: '/a\nb' },
  { form: 'path', pattern: '/\ud800' },
  { form: 'host', pattern: 'https://example.com' },
  { form: 'host', pattern: 'a*.com' },
  { form: 'command', pattern: 'git push' },
  { form: 'command', pattern: '/bin/sh' },
] as const)('"$pattern" is not a $form pattern', ({ form, pattern }) => {
  expect(patternProblem(form, pattern)).toBeTypeOf('string')
})
