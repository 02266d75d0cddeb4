import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGivenWorld } from '../../evidence/effects/world/given-world.ts'
import { createMachineWorld } from './machine-world.ts'

let folder = ''
const world = createMachineWorld({ A: 'b' }, '/home/x')

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'world-')))
  mkdirSync(join(folder, 'real', 'deep'), { recursive: true })
  writeFileSync(join(folder, 'real', 'file'), '')
  symlinkSync('real', join(folder, 'link'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const given = () =>
  createGivenWorld({
    files: {
      [join(folder, 'real', 'file')]: '',
      [join(folder, 'real', 'deep')]: null,
      [join(folder, 'link')]: { link: 'real' },
    },
    env: { A: 'b' },
    home: '/home/x',
  })

test.each([
  { name: 'the machine', make: () => world },
  { name: 'a given world', make: given },
])('$name answers and never throws', ({ make }) => {
  const one = make()
  expect(one.realPath(join(folder, 'link', 'file'))).toBe(join(folder, 'real', 'file'))
  expect(one.realPath(join(folder, 'link', 'not', 'there'))).toBe(join(folder, 'real', 'not', 'there'))
  expect(['real', 'real/file', 'link', 'link/file', 'nothing'].map((path) => one.pathKind(join(folder, path)))).toEqual(
    ['directory', 'file', 'link', 'file', 'missing'],
  )
  expect(one.list(join(folder, 'real'))?.toSorted()).toEqual(['deep', 'file'])
  expect(one.list(join(folder, 'nothing'))).toBeNull()
  expect([one.env('A'), one.env('B'), one.home]).toEqual(['b', undefined, '/home/x'])
  expect(one.pathKind('\0')).toBe('missing')
})

test('reads the text of a file, and nothing that is longer or no text', () => {
  const files = { text: 'rm -rf /\n', binary: 'a\0b', long: 'x'.repeat(65_537), whole: 'x'.repeat(65_536) }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const texts = Object.keys(files).map((name) => world.read(join(folder, name)))
  expect(texts).toEqual([files.text, null, null, files.whole])
  expect([world.read(folder), world.read(join(folder, 'nothing')), world.read('\0')]).toEqual([null, null, null])
  expect(world.read(join(folder, 'link', 'file'))).toBe('')
  const told = createGivenWorld({ files: { '/a': 'x', '/l': { link: '/a' }, '/d': null, ...files } })
  expect(['/a', '/l', '/d', '/b', '/binary', '/long'].map((path) => told.read(path))).toEqual([
    'x',
    'x',
    null,
    null,
    null,
    null,
  ])
})

test.each([
  ['the machine', () => world],
  ['a given world', given],
])('a path deeper than any system allows is not resolved, but a link on the way is (%s)', (_, make) => {
  const deep = '/d'.repeat(40_000)
  expect(make().realPath(`${folder}/link${deep}`)).toBe(`${folder}/real${deep}`)
  expect(make().pathKind(`${folder}/link${deep}`)).toBe('missing')
})

test('links in a circle end', () => {
  const circle = createGivenWorld({ files: { '/a': { link: '/b' }, '/b': { link: '/a' } } })
  expect(circle.realPath('/a/x')).toMatch(/^\/[ab]\/x$/)
})

test.each([
  { name: 'a link to nothing leads to what writing would make', from: 'dangling', to: 'elsewhere/new' },
  { name: 'so does a path below it', from: 'dangling/below', to: 'elsewhere/new/below' },
  { name: 'and a link to such a link', from: 'chained', to: 'elsewhere/new' },
  { name: 'and one seen through a linked folder', from: 'link/inner', to: 'real/absent' },
])('$name', ({ from, to }) => {
  rmSync(join(folder, 'dangling'), { force: true })
  rmSync(join(folder, 'chained'), { force: true })
  rmSync(join(folder, 'real', 'inner'), { force: true })
  symlinkSync(join(folder, 'elsewhere', 'new'), join(folder, 'dangling'))
  symlinkSync('dangling', join(folder, 'chained'))
  symlinkSync('absent', join(folder, 'real', 'inner'))
  expect(world.realPath(join(folder, from))).toBe(join(folder, to))
})

test('a path that existed before is checked again, in any new state', () => {
  const place = join(folder, 'changing')
  const seen = (): string => world.realPath(join(place, 'x')).slice(folder.length)
  mkdirSync(place)
  const found = [seen(), seen()]
  rmSync(place, { recursive: true })
  found.push(seen())
  symlinkSync('real', place)
  found.push(seen(), world.realPath(place).slice(folder.length))
  rmSync(place)
  symlinkSync('nowhere', place)
  found.push(seen(), world.realPath(place).slice(folder.length))
  rmSync(place)
  expect(found).toEqual(['/changing/x', '/changing/x', '/changing/x', '/real/x', '/real', '/nowhere/x', '/nowhere'])
})

test('links in a circle on the machine end', () => {
  symlinkSync('second', join(folder, 'first'))
  symlinkSync('first', join(folder, 'second'))
  expect(world.realPath(join(folder, 'first', 'x'))).toContain(folder)
})

test('a longer file is given in parts that join to it, cut where characters end', () => {
  const text = `${'a'.repeat(65_535)}é${'😀'.repeat(40_000)}z`
  const file = join(folder, 'real', 'long')
  writeFileSync(file, text)
  const parts = [0, 1, 2, 3, 4].map((part) => world.readPart(file, part))
  expect(world.read(file)).toBeNull()
  expect(parts.join('') === text).toBe(true)
  expect(parts.map((part) => part === null)).toEqual([false, false, false, false, true])
  expect(parts.every((part) => (part?.length ?? 0) <= 65_536)).toBe(true)
})

test('a part that is not text is not returned', () => {
  const file = join(folder, 'real', 'binary')
  writeFileSync(file, `${'a'.repeat(70_000)}\0`)
  expect([world.readPart(file, 0)?.length, world.readPart(file, 1), world.readPart(join(folder, 'real'), 0)]).toEqual([
    65_536,
    null,
    null,
  ])
})
