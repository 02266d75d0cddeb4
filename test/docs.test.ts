/** What the pages claim of the project: links, paths of files, functions in them, and the form of the text. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../src/config/load.ts'
import { readRules } from '../src/policy/read-rules.ts'

const root = join(import.meta.dirname, '..')

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const WRITTEN = PAGES.filter(({ text }) => !text.replaceAll('\n', ' ').includes('is generated from'))

const WIDEST = 120

const withoutFences = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '')

/** The anchor that code hosts make of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

const anchorsIn = (path: string): readonly string[] =>
  [...withoutFences(readFileSync(join(root, path), 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    anchorOf(heading),
  )

const brokenLinks = ({ path, text }: (typeof PAGES)[number]): readonly string[] =>
  [...withoutFences(text).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
    ([link, to = '', anchor]) => {
      const target = to === '' ? path : join(dirname(path), to)
      if (!existsSync(join(root, target))) return [link]
      return anchor === undefined || anchorsIn(target).includes(anchor) ? [] : [link]
    },
  )

/** Files and folders of this project, written as code; names in capitals and patterns stand for others. */
const missingPaths = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:src|test|scripts|bench|e2e|policies|examples|npm|models)\/[\w./-]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !/[A-Z]{3,}/.test(path.replace('README', '')) && !existsSync(join(root, path)))

/** Names that the text places in a file: "`decide` (`src/core/guard.ts`)", or "of" the file. */
const misplacedNames = (text: string): readonly string[] =>
  [
    ...text
      .replaceAll('\n', ' ')
      .matchAll(/`([A-Za-z_]\w+)`,? (?:\(|of |in )?`((?:src|test|e2e|scripts|bench)\/[\w./-]+\.ts)`/g),
  ].flatMap(([, name = '', path = '']) =>
    existsSync(join(root, path)) && !new RegExp(`\\b${name}\\b`).test(readFileSync(join(root, path), 'utf8'))
      ? [`${name} in ${path}`]
      : [],
  )

const blocksOf = (text: string, language: string): readonly string[] =>
  [...text.matchAll(/^```(\w*).*\n([\s\S]*?)^```$/gm)].flatMap(([, one, block = '']) =>
    one === language ? [block] : [],
  )

describe.each(PAGES)('$path', (page) => {
  test('shown settings and rules are valid', () => {
    for (const text of blocksOf(page.text, 'yaml'))
      expect(() => loadConfig([{ layer: 'user', path: page.path, text }])).not.toThrow()
    for (const text of blocksOf(page.text, 'cedar'))
      expect(readRules({ layer: 'user', name: page.path, text }).problems).toEqual([])
  })

  test('links lead somewhere', () => {
    expect(brokenLinks(page)).toEqual([])
  })

  test('named files exist', () => {
    expect(missingPaths(page.text)).toEqual([])
  })

  test('named functions are where the page places them', () => {
    expect(misplacedNames(page.text)).toEqual([])
  })
})

/** Blocks without a language hold output as it is. */
const withoutOutput = (text: string): string =>
  text.replaceAll(/^```(.*)\n[\s\S]*?^```$/gm, (block, language) => (language === '' ? '' : block))

test.each(WRITTEN)('$path has lines of a readable length', ({ text }) => {
  const long = withoutOutput(text)
    .split('\n')
    .filter((line) => line.length > WIDEST && !line.startsWith('|'))
  expect(long).toEqual([])
})
