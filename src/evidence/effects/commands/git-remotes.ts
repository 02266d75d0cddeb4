import { posix } from 'node:path'
import type { Call } from '../engine/call.ts'
import { remoteOf } from '../places/hosts.ts'
import { literal, visible, visibleWords } from '../values/field.ts'
import { parseOptions } from '../values/options.ts'
import { EMPTY, type Value, known as knownText, unknown } from '../values/value.ts'
import { words } from '../values/words.ts'
import { type Git, configure, lead, ref, repository } from './git-config.ts'
import { unpack } from './landing.ts'
import { PULLED } from './strangers-project.ts'

/** With its name, stands for a remote that the command itself has added. */
export const ADDED = '.git/remotes/'

/** The first operand, as far as it is known. */
export const first = (git: Git): string => visible(git.operands[0] ?? literal(''))

const CLONE_VALUES = words(
  '-b --branch --depth -c --config -o --origin --template -u --upload-pack --reference -j --filter',
)

/** `git clone`, and `git submodule add`. */
export const clone = ({ call, rest }: Git): Value | void => {
  const options = parseOptions(rest, { values: CLONE_VALUES })
  for (const pair of options.get('-c', '--config'))
    configure(call, visible(pair).split('=')[0] ?? '', knownText(visible(pair).split('=').slice(1).join('=')))
  if (options.has('--template', '-u', '--upload-pack')) call.emit('vcs.config', [ref('clone')])
  const [from, into] = options.operands
  if (from === undefined) return
  if (visible(from).startsWith('ext::')) return call.shell(knownText(visible(from).slice(5)), { possible: true })
  const host = remoteOf(visible(from))
  if (host) call.emit('net.fetch', [host])
  const name =
    into ??
    literal(
      visible(from)
        .replace(/\.git$/, '')
        .replace(/\/$/, '')
        .split(/[/:]/)
        .at(-1) ?? '.',
    )
  unpack(call, [name], [], unknown({ ...EMPTY.flow, network: host !== undefined }))
}

/** Commits that are pulled from an address are a stranger's. */
export const takeCommits = (git: Git): void => {
  const host = remoteOf(first(git))
  if (host !== undefined) git.call.engine.scratch.files.set(PULLED, unknown({ ...EMPTY.flow, network: true }))
  git.call.emit('net.fetch', [host ?? ref(`remote:${first(git) || 'origin'}`)])
}

/** Whether a remote of the repository is on this host already. */
const isKnownHost = (call: Call, host: string): boolean => {
  const settings = call.engine.paths.world.read(posix.join(call.state.cwds[0] ?? '/', '.git/config')) ?? ''
  const plain = (name: string): string => name.replace(/:\d{1,5}$/, '')
  return [...settings.slice(0, 16_384).matchAll(/^[\t ]{0,16}url ?= ?(\S{1,512})$/gm)].some(
    ([, url = '']) => plain(remoteOf(url)?.host ?? '') === plain(host),
  )
}

/** `git remote`: other addresses, and new remotes. */
export const remote = (git: Git): void => {
  const [name, url] = visibleWords(git.operands.slice(1))
  const key = `remote.${name}.url`
  const host = remoteOf(url ?? '')
  if (first(git) === 'set-url') {
    // Another address of the same machine, by https instead of ssh, or after a project was renamed.
    if (host === undefined || !isKnownHost(git.call, host.host)) lead(git.call, key, url)
  } else if (first(git) === 'rename')
    git.call.emit('vcs.change', [ref(`remote.${url}.url`), ref(`remote:${name}`), ...repository(git.call)])
  else if (first(git) !== 'add') return
  else if (url?.startsWith('ext::') === true) lead(git.call, key, url)
  // A new remote has no effect by itself; a later push goes there.
  else if (host !== undefined) {
    git.call.engine.scratch.files.set(`${ADDED}${name}`, knownText(url ?? ''))
    git.call.emit('vcs.change', [ref(key), host, ...repository(git.call)])
  }
}

/** `git subtree`: files of another repository. */
export const subtree = (git: Git): void => {
  const url = visibleWords(git.operands).find((word) => remoteOf(word) !== undefined)
  if (url === undefined || !/^(?:add|pull|merge)$/.test(first(git))) return
  git.call.emit('net.fetch', [remoteOf(url) ?? ref(url)])
  const folders = parseOptions(git.rest, { values: ['--prefix', '-P', '-m'] }).get('--prefix', '-P')
  git.call.write(folders, unknown({ ...EMPTY.flow, network: true }))
}

/** `git ls-remote`. */
export const listRemote = (git: Git): Value | void => {
  const url = first(git)
  if (url.startsWith('ext::')) return git.call.shell(knownText(url.slice(5)), { possible: true })
  git.call.emit('net.fetch', [remoteOf(url) ?? ref(`remote:${url || 'origin'}`)])
  return undefined
}
