import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** Rooms of the house and whom each may import, as in docs/architecture.md; a room always may import itself. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  version: ['protocol', 'package-files'],
  'package-files': [],
  protocol: ['errors'],
  core: ['protocol'],
  'evidence/detectors': ['protocol'],
  'evidence/effects': [
    'protocol',
    'evidence/effects/engine',
    'evidence/effects/guard',
    'evidence/effects/places',
    'evidence/effects/sql',
    'evidence/effects/tools',
    'evidence/effects/workflows',
    'evidence/effects/world',
    'evidence/effects/tools/openclaw',
  ],
  'evidence/effects/values': ['protocol'],
  'evidence/effects/places': ['protocol', 'evidence/effects/values'],
  'evidence/effects/guard': ['protocol', 'evidence/effects/places', 'evidence/effects/values'],
  'evidence/effects/world': ['protocol'],
  'evidence/effects/engine': [
    'protocol',
    'evidence/effects/guard',
    'evidence/effects/places',
    'evidence/effects/values',
  ],
  'evidence/effects/scripts': [
    'protocol',
    'evidence/effects/engine',
    'evidence/effects/places',
    'evidence/effects/values',
  ],
  'evidence/effects/shell': [
    'protocol',
    'evidence/effects/engine',
    'evidence/effects/guard',
    'evidence/effects/places',
    'evidence/effects/scripts',
    'evidence/effects/values',
  ],
  'evidence/effects/powershell': [
    'protocol',
    'evidence/effects/engine',
    'evidence/effects/places',
    'evidence/effects/values',
  ],
  'evidence/effects/code': [
    'protocol',
    'evidence/effects/engine',
    'evidence/effects/places',
    'evidence/effects/scripts',
    'evidence/effects/values',
  ],
  'evidence/effects/sql': ['protocol', 'evidence/detectors', 'evidence/effects/engine', 'evidence/effects/places'],
  'evidence/effects/workflows': ['protocol', 'evidence/effects/engine', 'evidence/effects/values'],
  'evidence/effects/commands': [
    'protocol',
    'evidence/effects/code',
    'evidence/effects/engine',
    'evidence/effects/places',
    'evidence/effects/powershell',
    'evidence/effects/scripts',
    'evidence/effects/sql',
    'evidence/effects/values',
  ],
  'evidence/effects/commands/runners': [
    'protocol',
    'evidence/effects/commands',
    'evidence/effects/engine',
    'evidence/effects/values',
  ],
  'evidence/effects/commands/services': [
    'protocol',
    'evidence/effects/commands',
    'evidence/effects/engine',
    'evidence/effects/sql',
    'evidence/effects/values',
  ],
  'evidence/effects/dispatch': [
    'protocol',
    'evidence/effects/code',
    'evidence/effects/commands',
    'evidence/effects/commands/runners',
    'evidence/effects/commands/services',
    'evidence/effects/engine',
    'evidence/effects/powershell',
    'evidence/effects/shell',
    'evidence/effects/values',
  ],
  'evidence/effects/tools': [
    'protocol',
    'evidence/effects/dispatch',
    'evidence/effects/engine',
    'evidence/effects/guard',
    'evidence/effects/places',
    'evidence/effects/sql',
    'evidence/effects/values',
  ],
  'evidence/effects/tools/openclaw': [
    'protocol',
    'evidence/effects/dispatch',
    'evidence/effects/engine',
    'evidence/effects/places',
    'evidence/effects/tools',
    'evidence/effects/values',
  ],
  'evidence/labels': ['protocol'],
  integrity: ['protocol'],
  policy: ['core', 'protocol'],
  'guardians/evidence': ['core', 'protocol', 'evidence/detectors'],
  'guardians/answers': ['core', 'protocol'],
  'guardians/integrity': ['core', 'protocol'],
  'guardians/policy': ['core', 'protocol', 'policy'],
  'guardians/remote': ['core', 'protocol', 'client'],
  'guardians/prisma-airs': ['core', 'protocol', 'client'],
  'guardians/aiceberg': ['core', 'protocol', 'client', 'record/open-events'],
  'record/stores': ['protocol', 'record/chain'],
  'record/chain': ['protocol'],
  'record/labels': ['protocol', 'evidence/labels', 'record/stores'],
  'record/signatures': ['protocol'],
  'record/accepted': ['integrity', 'record/labels'],
  'record/approvals': ['core', 'protocol', 'record/signatures', 'record/stores', 'record/trace'],
  'record/seals': ['core', 'protocol', 'record/stores'],
  'record/checkpoints': ['core', 'record/stores'],
  'record/trace': ['core', 'protocol', 'record/stores', 'record/chain', 'record/seals'],
  'record/replay': ['core', 'protocol', 'record/stores'],
  'record/open-events': ['record/stores'],
  'record/claims': ['processes', 'record/stores'],
  'record/turns': ['core', 'protocol', 'record/stores', 'record/trace'],
  client: ['core', 'protocol'],
  certificates: [],
  system: ['certificates', 'protocol'],
  processes: [],
  liveness: ['client'],
  hosts: ['core', 'protocol', 'client', 'integrity'],
  config: [
    'package-files',
    'core',
    'protocol',
    'evidence/detectors',
    'evidence/effects',
    'evidence/effects/engine',
    'evidence/effects/guard',
    'evidence/effects/sql',
    'evidence/effects/world',
    'evidence/labels',
    'policy',
    'guardians/evidence',
    'guardians/policy',
    'guardians/remote',
    'guardians/prisma-airs',
    'guardians/aiceberg',
    'guardians/answers',
    'guardians/integrity',
    'integrity',
    'record/accepted',
    'record/open-events',
    'client',
    'record/stores',
    'record/signatures',
    'record/approvals',
    'record/seals',
    'record/checkpoints',
    'record/trace',
    'record/labels',
    'record/replay',
  ],
  server: ['core', 'protocol', 'record/signatures', 'record/approvals', 'record/trace', 'record/claims', 'processes'],
  offload: ['config', 'core', 'evidence/labels', 'hosts', 'protocol', 'server'],
  'hook-entry': ['protocol', 'core', 'client', 'hosts', 'config'],
  'openclaw-plugin': ['protocol', 'core', 'client', 'hosts', 'config', 'record/trace', 'record/approvals'],
  cli: [
    'package-files',
    'system',
    'certificates',
    'processes',
    'liveness',
    'record/claims',
    'config',
    'integrity',
    'server',
    'record/stores',
    'record/signatures',
    'record/approvals',
    'record/seals',
    'record/checkpoints',
    'record/trace',
    'record/replay',
    'record/turns',
    'client',
    'hosts',
    'core',
    'protocol',
    'policy',
    'version',
    'hook-entry',
    'offload',
  ],
  index: ['core', 'protocol', 'config'],
  testing: ['protocol'],
}
/** Every room may use the error table. */
const EVERYBODY = ['errors', 'version']

/** Folders that import each other: pairs that go one after the other, and none comes. */
const NOT_YET_PARTED: readonly string[] = [
  '. config',
  '. core',
  '. protocol',
  'cli cli/commands',
  'openclaw-plugin openclaw-plugin/protections',
  'testing testing/aiceberg',
  'testing testing/airs',
]

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split('\\').join('/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))

const roomOf = (file: string): string => {
  const path = file.replace(/\.ts$/, '')
  const room = Object.keys(RULES)
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .toSorted((a, b) => b.length - a.length)[0]
  return room ?? `no room for ${file}`
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1)

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) =>
    posix.normalize(posix.join(dirname(file), match[1] ?? '')),
  )

describe('who may import whom', () => {
  test('every file has a room', () => {
    expect(files.map(roomOf).filter((room) => room.startsWith('no room'))).toEqual([])
  })

  test('no room imports what its row does not name', () => {
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.endsWith('.ts'))
        .map((target) => ({ from: roomOf(file), to: roomOf(target), file, target }))
        .filter(({ from, to }) => from !== to && !EVERYBODY.includes(to) && RULES[from]?.includes(to) !== true)
        .map(({ from, to, target }) => `${file}: ${from} may not import ${to} (${target})`),
    )
    expect(broken).toEqual([])
  })

  test('the table stands in docs/architecture.md', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    const rows = Object.fromEntries(
      [...page.matchAll(/^\| `([\w/-]+)` \| [^|]* \|([^|]*)\|$/gm)].map((match) => [
        match[1],
        [...(match[2] ?? '').matchAll(/`([\w/-]+)`/g)].map((name) => name[1] ?? '').toSorted(byText),
      ]),
    )
    expect(rows).toEqual(Object.fromEntries(Object.entries(RULES).map(([room, may]) => [room, may.toSorted(byText)])))
  })
})

describe('circles', () => {
  const imports = new Map(files.map((file) => [file, importsOf(file).filter((target) => target.endsWith('.ts'))]))

  /** Every way back to where it began, as the files that lie on one. */
  const circles = (): readonly string[] => {
    const done = new Set<string>()
    const found = new Set<string>()
    const walk = (file: string, path: readonly string[]): void => {
      const at = path.indexOf(file)
      if (at >= 0) found.add(path.slice(at).join(' -> '))
      if (at >= 0 || done.has(file)) return
      for (const target of imports.get(file) ?? []) walk(target, [...path, file])
      done.add(file)
    }
    for (const file of files) walk(file, [])
    return [...found]
  }

  test('no file is brought in by what it brings in', () => {
    expect(circles()).toEqual([])
  })

  test('no folder imports one that imports it, beside those that are still to be parted', () => {
    const pairs = new Set(
      [...imports].flatMap(([file, targets]) => targets.map((target) => `${dirname(file)} ${dirname(target)}`)),
    )
    const mutual = [...pairs].filter((pair) => {
      const [from = '', to = ''] = pair.split(' ')
      return from < to && pairs.has(`${to} ${from}`)
    })
    expect(mutual.toSorted(byText)).toEqual(NOT_YET_PARTED)
  })
})

describe('what an entry drags in', () => {
  const packagesOf = async (entry: string): Promise<readonly string[]> => {
    const { metafile } = await build({
      entryPoints: [join(src, entry)],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'silent',
    })
    const outside = Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external === true).map(({ path }) => path),
    )
    return [...new Set(outside.filter((path) => !path.startsWith('node:')))].toSorted()
  }

  test.each([
    { entry: 'hook-entry.ts', packages: [] },
    { entry: 'core/guard.ts', packages: [] },
    { entry: 'client/index.ts', packages: [] },
  ])('$entry imports the packages $packages', async ({ entry, packages }) => {
    expect(await packagesOf(entry)).toEqual(packages)
  })

  test('the pure rooms touch no clock, file, process or network of their own', () => {
    const pure = files.filter((file) => /^(protocol|core|evidence|policy)\//.test(file))
    const impure = pure.filter((file) =>
      /from 'node:(?!crypto|buffer|url|path)|Date\.now|new Date\(\)|performance\.now|Math\.random|process\.|fetch\(/.test(
        readFileSync(join(src, file), 'utf8').replaceAll(
          /\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`|\/(?:[^/\n\\]|\\.)+\/[a-z]*/g,
          (text) => (text.startsWith("'node:") ? text : ''),
        ),
      ),
    )
    expect(impure.map((file) => relative(root, join(src, file)))).toEqual([])
  })
})
