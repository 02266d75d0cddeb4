import { posix } from 'node:path'
import { literal, visible } from '../values/field.ts'
import type { Call } from '../engine/call.ts'
import { isUsualHost } from '../places/package-hosts.ts'
import { words } from '../values/words.ts'

/** Programs that build or run the project in their working folder, or a given one. */
const BUILDERS: ReadonlySet<string> = new Set(
  words(`make gmake bmake remake ninja cmake meson just task rake scons waf bazel bazelisk buck buck2 pants gradle
    gradlew mvn mvnw ant sbt mill npm pnpm yarn bun bunx npx deno turbo nx lerna pip pipx uv poetry pdm hatch pipenv
    tox nox pytest flit conda mamba pixi cargo rustc go dotnet msbuild swift xcodebuild mix rebar3 stack cabal dune
    opam zig nim nimble dub shards crystal flutter dart gem bundle composer phpunit artisan docker docker-compose
    podman podman-compose buildah nerdctl skaffold tilt vagrant terraform tofu terragrunt pulumi packer
    ansible-playbook helm helmfile kustomize kubectl nix nix-build nix-shell devbox mise direnv pre-commit lefthook
    husky act code cursor jupyter snakemake nextflow dvc foreman overmind pm2 nodemon rspec jest vitest mocha
    playwright cypress`),
)

/** Words that only look. */
const LOOKS =
  /^(?:--version|-v|-V|version|--help|-h|help|list|ls|info|view|outdated|status|--dry-run|-n|get|config|login|logs|ps|cache)$/

/** Builders whose `install` is defined by the project; package managers install what has been published. */
const INSTALLS_ANYTHING = /^(?:g?make|bmake|ninja|cmake|meson|just|task|scons|waf|rake)$/

/** Files that define what a builder runs. */
const MANIFEST =
  /^(?:GNUm|[mM])akefile$|^(?:package|composer|deno|turbo|nx|project|tasks|devcontainer)\.jsonc?$|^(?:Cargo|pyproject|mise|pixi|fly)\.toml$|^(?:go\.mod|build\.rs|setup\.py|setup\.cfg|tox\.ini|conftest\.py|noxfile\.py|tasks\.py|requirements[\w-]*\.txt|Gemfile|Rakefile|Justfile|justfile|Vagrantfile|Procfile|Dockerfile|Containerfile|Jenkinsfile|CMakeLists\.txt|meson\.build|build\.ninja|WORKSPACE|BUILD(?:\.bazel)?|pom\.xml|mix\.exs|rebar\.config|build\.(?:gradle|sbt|zig|xml)(?:\.kts)?|Package\.swift|flake\.nix|shell\.nix|default\.nix|\.envrc|\.pre-commit-config\.yaml|Taskfile\.ya?ml|compose\.ya?ml|docker-compose[\w.-]*\.ya?ml|skaffold\.yaml|playbook\.ya?ml|Chart\.yaml)$|\.(?:tf|csproj|sln|cabal|gemspec|nimble|ipynb)$/

/** Key in the scratch state for a work tree with a stranger's commits. */
export const PULLED = 'git:pulled'

const fetchedHosts = (call: Call): readonly string[] =>
  call.engine
    .effects()
    .flatMap(({ kind, targets }) =>
      kind === 'net.fetch' || kind === 'net.send'
        ? targets.flatMap((target) => (target.type === 'host' ? [target.host.replace(/:\d{1,5}$/, '')] : []))
        : [],
    )

/** Whether a folder, or one of its ancestors, came from the network; the workspace itself is the person's. */
const isFetchedFolder = (call: Call, folder: string): boolean => {
  const { scratch, paths } = call.engine
  for (let at = folder; at !== '/' && at !== '.' && at !== paths.cwd; at = posix.dirname(at))
    if (scratch.files.get(at)?.flow.network === true) return true
  // An archive that is unpacked here creates folders.
  const unpacked = folder.startsWith(`${paths.cwd}/`) && scratch.files.get(paths.cwd)?.flow.network === true
  return unpacked && paths.world.pathKind(folder) === 'missing'
}

/** A file from the network that defines what is run. */
const fetchedManifest = (call: Call, folders: readonly string[]): string | undefined => {
  for (const [path, content] of call.engine.scratch.files)
    if (content.flow.network && MANIFEST.test(posix.basename(path)) && folders.includes(posix.dirname(path)))
      return path
  return undefined
}

/** Emits that a program builds or runs a stranger's project, which this call itself has fetched. */
export const emitStrangersProject = (call: Call): void => {
  const { scratch } = call.engine
  if (scratch.files.size === 0 || call.place.onDisk === true || !BUILDERS.has(call.name)) return
  const texts = call.args.map(visible)
  if (texts.slice(0, 2).some((word) => LOOKS.test(word))) return
  const named = texts.flatMap(
    (word) => /^(?:--?[\w-]+=)?(?:file:)?(\.{0,2}\/?[\w.~@-]+(?:\/[\w.@-]*)*)$/.exec(word)?.[1] ?? [],
  )
  const given = call.paths(named.map(literal), 'content').map(({ path }) => path)
  const folders = [...call.state.cwds.filter((cwd) => cwd !== undefined), ...given]
  const manifest = fetchedManifest(call, folders)
  const foreign =
    manifest !== undefined ||
    scratch.files.has(PULLED) ||
    folders.some((folder) => isFetchedFolder(call, folder)) ||
    given.some((path) => scratch.files.get(path)?.flow.network === true)
  if (!foreign) return
  const hosts = fetchedHosts(call)
  const isInstall = texts.includes('install') && INSTALLS_ANYTHING.test(call.name)
  if (manifest === undefined && hosts.length > 0 && hosts.every(isUsualHost) && !isInstall) return
  call.engine.gap('runner', `a project that came from the network, by ${call.name}`, call.name, call.place)
}
