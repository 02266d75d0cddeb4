import { getDomain } from 'tldts'
import { words } from '../values/words.ts'
import { isLoopback } from '../../../protocol/network-host.ts'
import { hostOf } from './hosts.ts'

/** Usual sources of packages: the indexes of the languages, and hosts where the code can be read. */
export const USUAL_PACKAGE_HOSTS: ReadonlySet<string> = new Set(
  words(`npmjs.org npmjs.com yarnpkg.com jsr.io
  pypi.org pythonhosted.org pytorch.org nvidia.com anaconda.org rubygems.org crates.io golang.org packagist.org
  nuget.org github.com gitlab.com bitbucket.org codeberg.org githubusercontent.com k8s.io nixos.org
  fedoraproject.org debian.org ubuntu.com hashicorp.com docker.com microsoft.com postgresql.org maven.org gradle.org`),
)

const SCHEME = /^(?:git\+)?(?:https?|ssh|git):\/\//i

/** Whether a text is an address of code outside the usual, inspectable places. */
export const isStrangeAddress = (text: string): boolean => SCHEME.test(text) && !isUsual(text)

/** Whether a host is this machine, or one where code and packages usually come from. */
export const isUsualHost = (host: string): boolean =>
  isLoopback(host) || USUAL_PACKAGE_HOSTS.has(getDomain(host) ?? host)

/** Whether an address is a usual source of packages, or on this machine. */
export const isUsual = (text: string): boolean => {
  const host = hostOf(text.replace(/^git\+/, ''))?.host.replace(/:\d{1,5}$/, '')
  if (host === undefined) return true
  if (isLoopback(host)) return true
  return !/^(?:git\+)?http:/i.test(text) && isUsualHost(host)
}
