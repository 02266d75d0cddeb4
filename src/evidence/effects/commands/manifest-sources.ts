import { posix } from 'node:path'
import { hostOf } from '../places/hosts.ts'
import { visible } from '../values/field.ts'
import type { Call } from '../engine/call.ts'
import { isUsualHost } from '../places/package-hosts.ts'

const URL = String.raw`((?:git\+)?(?:https?|ssh|git):\/\/[^\s"'#,;)\]]{1,500})`

/** The origin of packages in a manifest, as the first group. */
interface Manifest {
  readonly files: readonly string[]
  readonly places: readonly RegExp[]
}

const PYTHON: Manifest = {
  files: ['pyproject.toml', 'uv.toml', 'Pipfile', 'setup.cfg', 'pip.conf'],
  places: [
    new RegExp(
      String.raw`^[ \t]*(?:index-url|extra-index-url|find-links|default-index|url)[ \t]*=[ \t]*\[?["']?${URL}`,
      'gm',
    ),
    new RegExp(String.raw`["'][\w.[\]-]{1,64}\s*@\s*${URL}`, 'g'),
    new RegExp(String.raw`\bgit\s*=\s*["']${URL}`, 'g'),
  ],
}
const REQUIREMENTS: readonly RegExp[] = [
  new RegExp(String.raw`^[ \t]*(?:-i|-f|--index-url|--extra-index-url|--find-links)[ \t=]+${URL}`, 'gm'),
  new RegExp(String.raw`^[ \t]*(?:-e[ \t]+)?(?:[\w.[\]-]{1,64}[ \t]*@[ \t]*)?${URL}`, 'gm'),
]
const NODE: Manifest = {
  files: ['package.json', '.npmrc', '.yarnrc.yml', 'bunfig.toml'],
  places: [
    new RegExp(String.raw`^[ \t]*(?:@[\w-]+:)?(?:registry|npmRegistryServer)[ \t]*[=:][ \t]*["']?${URL}`, 'gm'),
    new RegExp(String.raw`"(?:@[\w.-]+\/)?[\w.-]{1,64}"\s*:\s*"${URL}(?:\.git|\.tgz|\.tar\.gz|#)`, 'g'),
  ],
}

/** By the program that reads them. */
const MANIFESTS: Readonly<Record<string, Manifest | undefined>> = {
  pip: PYTHON,
  uv: PYTHON,
  poetry: PYTHON,
  pdm: PYTHON,
  pipenv: PYTHON,
  hatch: PYTHON,
  npm: NODE,
  pnpm: NODE,
  yarn: NODE,
  bun: NODE,
  go: {
    files: ['go.mod'],
    places: [/^[ \t]*(?:replace[ \t]+)?\S{1,200}[ \t]+(?:v\S+[ \t]+)?=>[ \t]+([a-z\d-]+(?:\.[a-z\d-]+)+\/\S+)/gm],
  },
  bundle: {
    files: ['Gemfile'],
    places: [new RegExp(String.raw`\b(?:source|git:|git|remote)\s*(?:=>)?\(?\s*["']${URL}`, 'g')],
  },
  bundler: {
    files: ['Gemfile'],
    places: [new RegExp(String.raw`\b(?:source|git:|git|remote)\s*(?:=>)?\(?\s*["']${URL}`, 'g')],
  },
  composer: {
    files: ['composer.json'],
    places: [new RegExp(String.raw`"repositories"[^]{0,400}?"url"\s*:\s*"${URL}`, 'g')],
  },
  cargo: {
    files: ['Cargo.toml', '.cargo/config.toml'],
    places: [new RegExp(String.raw`\b(?:git|registry|index)\s*=\s*["'](?:sparse\+)?${URL}`, 'g')],
  },
  'pre-commit': { files: ['.pre-commit-config.yaml'], places: [new RegExp(String.raw`\brepo:\s*["']?${URL}`, 'g')] },
}

const USES =
  /^(?:i|in|install|ci|add|sync|update|upgrade|lock|run|build|test|tidy|get|download|mod|require|check|clippy|bench|vet|generate|autoupdate|install-hooks|pip|--)$/

/** Of Node's package managers, scripts and tests bring nothing. */
const INSTALLS =
  /^(?:i|in|ins|inst|install|isntall|ci|clean-install|it|install-test|cit|add|sync|update|up|upgrade|dedupe|link|exec|dlx|create|init)$/

const hostsIn = (text: string, places: readonly RegExp[]): readonly string[] =>
  places.flatMap((place) =>
    [...text.matchAll(place)].slice(0, 64).flatMap(([, address = '']) => {
      const host = hostOf(address.replace(/^git\+/, ''))?.host.replace(/:\d{1,5}$/, '')
      return host === undefined || isUsualHost(host) ? [] : [host]
    }),
  )

/** Emits that a program installs from strangers whom a manifest of the project names. */
export const emitManifestSources = (call: Call): void => {
  const manifest = MANIFESTS[call.name]
  if (manifest === undefined || call.place.onDisk === true) return
  const words = call.args.map(visible)
  const uses = manifest === NODE ? INSTALLS : USES
  if (!words.some((word) => uses.test(word)) && call.name !== 'yarn' && call.name !== 'bundle') return
  const { world } = call.engine.paths
  const textAt = (path: string): string => {
    const written = call.engine.scratch.files.get(path)
    return written === undefined ? (world.read(path) ?? '') : (written.texts[0] ?? '')
  }
  const named = words.filter((_, at) => /^(?:-r|--requirements?|-c|--constraint)$/.test(words[at - 1] ?? ''))
  const folders = words.filter(
    (word, at) =>
      /^\.{0,2}\/|^--(?:project|directory)=/.test(word) ||
      /^(?:--project|--directory|-C|--prefix|--cwd)$/.test(words[at - 1] ?? ''),
  )
  const hosts = call.state.cwds.flatMap((cwd) => {
    if (cwd === undefined) return []
    const roots = [cwd, ...folders.map((folder) => posix.resolve(cwd, folder.replace(/^--\w+=/, '')))]
    const own = roots.flatMap((root) =>
      manifest.files.flatMap((file) => hostsIn(textAt(posix.join(root, file)), manifest.places)),
    )
    return [...own, ...named.flatMap((file) => hostsIn(textAt(posix.resolve(cwd, file)), REQUIREMENTS))]
  })
  if (hosts.length === 0) return
  call.emit(
    'package.source',
    [...new Set(hosts)].map((host) => ({ type: 'host', host })),
  )
}
