import type { Target } from '../../../protocol/evidence.ts'
import { words } from '../values/words.ts'

type Host = Extract<Target, { readonly type: 'host' }>

/**
 * Documented addresses of install scripts by the makers of tools. A path means only this part of a site. Workflows run
 * on machines that are thrown away; on a person's own machine such a script needs the person's approval all the same.
 */
const INSTALLERS: readonly string[] = words(`sh.rustup.rs static.rust-lang.org bun.sh deno.land get.volta.sh
  get.pnpm.io install.python-poetry.org astral.sh pdm-project.org pyenv.run bootstrap.pypa.io get.docker.com
  get.helm.sh get.k3s.io dl.k8s.io cli.codecov.io uploader.codecov.io codecov.io coverage.codacy.com static.snyk.io
  deb.nodesource.com rpm.nodesource.com sdk.cloud.google.com awscli.amazonaws.com aka.ms packages.microsoft.com
  dot.net apt.releases.hashicorp.com releases.hashicorp.com get.pulumi.com get.sdkman.io getcomposer.org
  install.goreleaser.com goreleaser.com fly.io cli.doppler.com cli.infisical.com get.nexte.st nixos.org
  install.determinate.systems starship.rs dl.dagger.io taskfile.dev just.systems mise.run mise.jdx.dev tailscale.com
  dl.google.com go.dev nodejs.org sonarcloud.io binaries.sonarsource.com wasmtime.dev rustwasm.github.io
  get.haskellstack.org get-ghcup.haskell.org dev.yorhel.nl cli.github.com raw.githubusercontent.com/nvm-sh/nvm
  raw.githubusercontent.com/Homebrew/install raw.githubusercontent.com/helm/helm
  raw.githubusercontent.com/golangci/golangci-lint raw.githubusercontent.com/aquasecurity/trivy
  raw.githubusercontent.com/anchore/syft raw.githubusercontent.com/anchore/grype
  raw.githubusercontent.com/kubernetes-sigs/kustomize raw.githubusercontent.com/cargo-bins/cargo-binstall
  raw.githubusercontent.com/k3d-io/k3d raw.githubusercontent.com/terraform-linters/tflint
  raw.githubusercontent.com/reviewdog/reviewdog raw.githubusercontent.com/rhysd/actionlint`)

const placeOf = ({ host, url }: Host): string => {
  const bare = host.replace(/:\d{1,5}$/, '')
  return url === undefined ? bare : bare + url.replace(/^[^:]*:\/\/[^/]*/, '')
}

/** Whether a maker of tools has people install from there. */
export const isInstaller = (target: Host): boolean => {
  const place = placeOf(target).toLowerCase()
  return INSTALLERS.some((one) => place === one.toLowerCase() || place.startsWith(`${one.toLowerCase()}/`))
}

/** Whether it is a release of some project on a code host. */
export const isRelease = (target: Host): boolean =>
  /^(?:github\.com\/[^/]+\/[^/]+\/(?:releases|archive)\/|gitlab\.com\/.+\/-\/(?:releases|archive)\/|codeberg\.org\/[^/]+\/[^/]+\/releases\/)/i.test(
    placeOf(target),
  )
