import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { circlesOf, foldersOf, readImportGraph } from '../scripts/import-graph.ts'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** Rooms of the house and whom each may import, as in docs/architecture.md; a room always may import itself. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  bounded: [],
  package: ['protocol'],
  protocol: ['bounded'],
  core: ['protocol'],
  'evidence/detectors': ['protocol', 'evidence/detectors/text', 'evidence/detectors/views'],
  'evidence/detectors/text': ['protocol'],
  'evidence/detectors/views': ['evidence/detectors/text'],
  'evidence/detectors/hidden-text': ['protocol', 'evidence/detectors', 'evidence/detectors/text'],
  'evidence/detectors/injection': ['protocol', 'evidence/detectors', 'evidence/detectors/text'],
  'evidence/detectors/malicious-code': ['protocol', 'evidence/detectors', 'evidence/detectors/text'],
  'evidence/detectors/pii': ['protocol', 'evidence/detectors', 'evidence/detectors/text', 'evidence/detectors/views'],
  'evidence/detectors/secrets': ['protocol', 'evidence/detectors', 'evidence/detectors/views'],
  'evidence/detectors/topics': ['evidence/detectors'],
  'evidence/detectors/toxic': ['protocol', 'evidence/detectors'],
  'evidence/detectors/urls': [
    'protocol',
    'evidence/detectors',
    'evidence/detectors/text',
    'evidence/detectors/secrets',
  ],
  'evidence/effects': [
    'bounded',
    'protocol',
    'evidence/effects/values',
    'evidence/effects/places',
    'evidence/effects/guard',
    'evidence/effects/world',
    'evidence/effects/engine',
    'evidence/effects/sql',
    'evidence/effects/workflows',
    'evidence/effects/commands/runners',
    'evidence/effects/commands/services',
    'evidence/effects/dispatch',
    'evidence/effects/tools',
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
  'evidence/labels': ['bounded', 'protocol'],
  integrity: ['protocol'],
  policy: ['bounded', 'protocol'],
  'guardians/evidence': ['bounded', 'protocol', 'core', 'evidence/detectors', 'evidence/detectors/urls'],
  'guardians/answers': ['bounded', 'protocol', 'core'],
  'guardians/integrity': ['core', 'protocol'],
  'guardians/policy': ['core', 'protocol', 'policy'],
  'guardians/remote': ['bounded', 'protocol', 'core', 'client'],
  'guardians/prisma-airs': ['bounded', 'protocol', 'core', 'client'],
  'guardians/aiceberg': ['bounded', 'protocol', 'core', 'record/open-events', 'client'],
  'record/chain': ['protocol'],
  'record/stores': ['bounded', 'protocol', 'record/chain'],
  'record/labels': ['bounded', 'evidence/labels', 'record/stores'],
  'record/signatures': ['protocol'],
  'record/accepted': ['bounded', 'integrity', 'record/labels'],
  'record/approvals': ['bounded', 'protocol', 'core', 'record/stores', 'record/signatures', 'record/trace'],
  'record/seals': ['core', 'protocol', 'record/stores'],
  'record/checkpoints': ['core', 'record/stores'],
  'record/trace': ['core', 'protocol', 'record/stores', 'record/chain', 'record/seals'],
  'record/replay': ['core', 'protocol', 'record/stores'],
  'record/open-events': ['record/stores'],
  'record/claims': ['processes', 'record/stores'],
  'record/turns': ['bounded', 'protocol', 'core', 'record/stores', 'record/trace'],
  client: ['bounded', 'protocol', 'core'],
  certificates: [],
  system: ['certificates', 'protocol'],
  processes: [],
  liveness: ['client'],
  hosts: ['bounded', 'protocol'],
  'hosts/setup': ['protocol'],
  'hosts/claude-code': ['protocol', 'core', 'client', 'hosts'],
  'hosts/claude-code/setup': ['bounded', 'protocol', 'integrity', 'hosts/setup', 'hosts/claude-code'],
  'hosts/claude-code/transcript': ['protocol', 'core'],
  'hosts/openclaw': ['protocol', 'core', 'hosts'],
  'hosts/openclaw/setup': ['protocol', 'hosts/setup', 'hosts/openclaw'],
  'hosts/aos': ['package', 'protocol', 'core', 'hosts'],
  'hosts/acs': ['bounded', 'protocol', 'core', 'hosts'],
  'hosts/git': ['protocol'],
  config: ['bounded', 'package', 'protocol', 'policy'],
  assembly: [
    'package',
    'protocol',
    'core',
    'evidence/detectors',
    'evidence/labels',
    'integrity',
    'guardians/answers',
    'record/stores',
    'record/signatures',
    'record/approvals',
    'record/trace',
    'config',
    'assembly/machine',
    'assembly/detection',
    'assembly/guardians',
    'assembly/record',
    'assembly/integrity',
    'assembly/guard',
  ],
  'assembly/machine': ['protocol', 'core'],
  'assembly/detection': [
    'package',
    'protocol',
    'evidence/detectors',
    'evidence/detectors/text',
    'evidence/detectors/hidden-text',
    'evidence/detectors/injection',
    'evidence/detectors/malicious-code',
    'evidence/detectors/pii',
    'evidence/detectors/secrets',
    'evidence/detectors/topics',
    'evidence/detectors/toxic',
    'evidence/detectors/urls',
    'evidence/effects/sql',
    'config',
  ],
  'assembly/guardians': [
    'protocol',
    'core',
    'evidence/detectors',
    'evidence/detectors/text',
    'guardians/remote',
    'guardians/prisma-airs',
    'guardians/aiceberg',
    'record/open-events',
    'client',
    'config',
    'assembly/detection',
  ],
  'assembly/record': [
    'protocol',
    'core',
    'evidence/detectors',
    'evidence/labels',
    'integrity',
    'record/stores',
    'record/labels',
    'record/signatures',
    'record/approvals',
    'record/seals',
    'record/checkpoints',
    'config',
  ],
  'assembly/integrity': [
    'bounded',
    'package',
    'protocol',
    'core',
    'evidence/effects/guard',
    'integrity',
    'guardians/integrity',
    'record/signatures',
    'record/accepted',
    'config',
    'assembly/record',
  ],
  'assembly/guard': [
    'bounded',
    'protocol',
    'core',
    'evidence/detectors',
    'evidence/effects',
    'evidence/effects/guard',
    'evidence/effects/world',
    'evidence/effects/engine',
    'evidence/labels',
    'policy',
    'guardians/evidence',
    'guardians/policy',
    'record/replay',
    'config',
    'assembly/detection',
    'assembly/guardians',
  ],
  server: [
    'bounded',
    'protocol',
    'core',
    'record/signatures',
    'record/approvals',
    'record/trace',
    'record/claims',
    'processes',
  ],
  offload: [
    'protocol',
    'core',
    'evidence/labels',
    'hosts/claude-code',
    'hosts/claude-code/setup',
    'hosts/openclaw',
    'assembly',
    'assembly/detection',
    'server',
  ],
  'hook-entry': ['hosts/claude-code', 'config'],
  'openclaw-plugin': [
    'package',
    'protocol',
    'hosts',
    'hosts/openclaw/setup',
    'openclaw-plugin/host',
    'openclaw-plugin/settings',
    'openclaw-plugin/scan',
    'openclaw-plugin/state',
    'openclaw-plugin/model',
    'openclaw-plugin/operator',
    'openclaw-plugin/protections',
  ],
  'openclaw-plugin/host': [],
  'openclaw-plugin/settings': ['protocol', 'openclaw-plugin/host'],
  'openclaw-plugin/scan': [
    'bounded',
    'protocol',
    'core',
    'hosts/openclaw',
    'openclaw-plugin/host',
    'openclaw-plugin/settings',
  ],
  'openclaw-plugin/guard': [
    'protocol',
    'core',
    'record/trace',
    'client',
    'hosts/openclaw',
    'hosts/openclaw/setup',
    'assembly',
    'openclaw-plugin/host',
    'openclaw-plugin/settings',
  ],
  'openclaw-plugin/state': [
    'bounded',
    'protocol',
    'hosts',
    'hosts/openclaw',
    'hosts/openclaw/setup',
    'openclaw-plugin/host',
    'openclaw-plugin/settings',
    'openclaw-plugin/scan',
    'openclaw-plugin/guard',
  ],
  'openclaw-plugin/model': ['openclaw-plugin/host', 'openclaw-plugin/settings', 'openclaw-plugin/scan'],
  'openclaw-plugin/operator': [
    'protocol',
    'hosts/openclaw',
    'openclaw-plugin/host',
    'openclaw-plugin/settings',
    'openclaw-plugin/scan',
    'openclaw-plugin/state',
    'openclaw-plugin/model',
  ],
  'openclaw-plugin/protections': [
    'bounded',
    'protocol',
    'hosts',
    'hosts/openclaw',
    'openclaw-plugin/host',
    'openclaw-plugin/settings',
    'openclaw-plugin/scan',
    'openclaw-plugin/state',
    'openclaw-plugin/model',
    'openclaw-plugin/operator',
  ],
  cli: ['package', 'liveness', 'cli/commands', 'cli/hosts', 'cli/io'],
  'cli/commands': [
    'package',
    'protocol',
    'core',
    'integrity',
    'policy',
    'record/stores',
    'record/signatures',
    'record/approvals',
    'record/seals',
    'record/checkpoints',
    'record/trace',
    'record/replay',
    'hosts/setup',
    'hosts/claude-code',
    'hosts/claude-code/setup',
    'hosts/openclaw',
    'hosts/git',
    'config',
    'assembly/machine',
    'assembly/detection',
    'assembly/guardians',
    'assembly/integrity',
    'assembly/guard',
    'cli/hosts',
    'cli/serve',
    'cli/record',
    'cli/signing',
    'cli/explain',
    'cli/views',
    'cli/io',
  ],
  'cli/hosts': [
    'package',
    'protocol',
    'record/signatures',
    'client',
    'certificates',
    'system',
    'processes',
    'hosts/setup',
    'hosts/claude-code/setup',
    'hosts/openclaw/setup',
    'hosts/git',
    'config',
    'assembly/record',
    'assembly/integrity',
    'cli/serve',
    'cli/signing',
    'cli/views',
    'cli/io',
  ],
  'cli/serve': [
    'package',
    'protocol',
    'core',
    'record/stores',
    'record/trace',
    'record/claims',
    'record/turns',
    'certificates',
    'system',
    'processes',
    'hosts/claude-code',
    'hosts/claude-code/setup',
    'hosts/claude-code/transcript',
    'hosts/openclaw',
    'hosts/aos',
    'hosts/acs',
    'config',
    'assembly',
    'assembly/machine',
    'assembly/guard',
    'server',
    'offload',
  ],
  'cli/record': [
    'protocol',
    'record/stores',
    'record/seals',
    'record/checkpoints',
    'record/trace',
    'record/replay',
    'config',
    'assembly/detection',
    'assembly/integrity',
    'assembly/guard',
    'cli/signing',
    'cli/views',
    'cli/io',
  ],
  'cli/signing': [
    'package',
    'protocol',
    'record/stores',
    'record/signatures',
    'record/approvals',
    'record/trace',
    'config',
    'assembly/machine',
    'assembly/detection',
    'assembly/record',
    'assembly/integrity',
    'server',
    'cli/views',
    'cli/io',
  ],
  'cli/explain': ['protocol', 'core', 'policy', 'assembly/guard', 'cli/views'],
  'cli/views': ['protocol', 'record/stores', 'record/approvals', 'record/trace', 'record/replay', 'cli/io'],
  'cli/io': ['protocol', 'hosts/setup', 'config', 'server'],
  index: ['protocol', 'core', 'assembly/guard'],
  testing: ['testing/stand-in', 'testing/airs', 'testing/aiceberg'],
  'testing/stand-in': ['protocol'],
  'testing/airs': ['protocol', 'testing/stand-in'],
  'testing/aiceberg': ['protocol', 'testing/stand-in'],
}
/** Rooms that every other one may use. */
const EVERYBODY = ['bounded', 'errors']

const graph = readImportGraph(src)
const files = [...graph.keys()]

const roomOf = (file: string): string => {
  const path = file.replace(/\.ts$/, '')
  const room = Object.keys(RULES)
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .toSorted((a, b) => b.length - a.length)[0]
  return room ?? `no room for ${file}`
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1)

describe('who may import whom', () => {
  test('every file has a room', () => {
    expect(files.map(roomOf).filter((room) => room.startsWith('no room'))).toEqual([])
  })

  test('no room imports what its row does not name', () => {
    const broken = [...graph].flatMap(([file, targets]) =>
      targets
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
  test('no file imports itself by way of others', () => {
    expect(circlesOf(graph)).toEqual([])
  })

  test('no folder imports itself by way of others', () => {
    expect(circlesOf(foldersOf(graph))).toEqual([])
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
