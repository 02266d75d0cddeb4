import { posix } from 'node:path'
import type { Target } from '../../../protocol/evidence.ts'
import type { Call } from '../engine/call.ts'
import { remoteOf } from '../places/hosts.ts'
import { textOf, visible, visibleWords } from '../values/field.ts'
import { parseOptions } from '../values/options.ts'
import { EMPTY, NO_FLOW, isKnown, mergeFlow, unknown } from '../values/value.ts'
import { type Git, ref, repository } from './git-config.ts'
import { STAGED } from './git-index.ts'
import { ADDED } from './git-remotes.ts'

/** `git push`. */
export const push = ({ call, rest }: Git): void => {
  const options = parseOptions(rest, { values: ['-o', '--push-option', '--repo', '--receive-pack', '--exec'] })
  const operands = options.operands
  const remote = operands[0] ? visible(operands[0]) : 'origin'
  const [repo] = options.get('--repo')
  const added = call.engine.scratch.files.get(`${ADDED}${remote}`)
  const place = remoteOf(repo ? visible(repo) : remote)
  const target: Target = place ?? ref(`remote:${remote}`)
  // An address that no remote of the repository has, or that this command itself has given to one.
  const elsewhere = place ?? remoteOf(textOf(added) ?? '')
  if (elsewhere !== undefined) call.send([elsewhere], unknown({ ...EMPTY.flow, whole: 'tree' }))
  else call.send([target], EMPTY)
  const specs = visibleWords(operands.slice(1))
  const lease = options.has('--force-with-lease', '--force-if-includes')
  const branches = branchesOf(call, specs)
  const forced =
    lease ||
    [...options.flags].some((flag) => flag === '-f' || flag.startsWith('--force')) ||
    specs.some((spec) => spec.startsWith('+'))
  const drops = options.has('-d', '--delete') || specs.some((spec) => spec.startsWith(':'))
  const removes = drops || options.has('--mirror', '--prune')
  const known = operands.slice(1).every(isKnown)
  // A single branch of the person's own, usually merged; not a shared one, and not several.
  const dropsOne =
    drops &&
    known &&
    specs.length === 1 &&
    !specs.some(isShared) &&
    !options.has('--mirror', '--prune', '-f', '--force')
  if (options.has('--receive-pack', '--exec'))
    for (const program of options.get('--receive-pack', '--exec')) call.shell(program, { possible: true })
  if (options.has('-n', '--dry-run')) return
  call.emit('vcs.publish', [target, ...specs.map(ref), ...(target.type === 'host' ? [] : repository(call))])
  const plain = !options.has('--all', '--mirror', '--prune', '--tags') && known
  const isBlunt = options.has('-f', '--force') || specs.some((spec) => spec.startsWith('+'))
  // The person's own branch: a lease loses nobody's work, and git keeps a deleted branch where it was made.
  const spares =
    plain &&
    branches.length > 0 &&
    (drops
      ? dropsOne && branches.every((branch) => isOwnBranch(call, branch))
      : branches.every((branch) => (lease && !isBlunt && !isShared(branch)) || isOwnBranch(call, branch)))
  if ((forced || removes) && !spares)
    call.emit('vcs.rewrite', [target, ...specs.map(ref)], {
      // With a lease, git refuses where others have pushed since: only a branch that is known to be shared is rewritten.
      traits: [
        ...(dropsOne || (lease && !removes && !options.has('-f', '--force') && !specs.some(isShared))
          ? []
          : (['force'] as const)),
        ...(options.has('--all', '--mirror') ? (['all'] as const) : []),
      ],
    })
  const named = operands.slice(1).reduce((all, one) => mergeFlow(all, one.flow), NO_FLOW)
  if (named.secrets.length > 0) call.send([target], unknown(named))
  // What was staged in the same command is pushed too.
  const staged = call.engine.scratch.files.get(STAGED)
  if (staged !== undefined && staged.flow.secrets.length > 0) call.send([target], staged)
}

/** The branch that is checked out, if the repository shows it. */
const currentBranch = (call: Call): string | undefined => {
  const { world } = call.engine.paths
  for (let folder = call.state.cwds[0]; folder !== undefined && folder !== '/'; folder = posix.dirname(folder)) {
    const head =
      world.pathKind(posix.join(folder, '.git')) === 'directory' ? posix.join(folder, '.git/HEAD') : undefined
    if (head !== undefined) return /^ref: refs\/heads\/(\S+)/.exec(world.read(head) ?? '')?.[1]
  }
  return undefined
}

/** The remote branches that a push changes, as far as they are known. */
const branchesOf = (call: Call, specs: readonly string[]): readonly string[] => {
  const named = specs.length === 0 ? ['HEAD'] : specs
  return named.flatMap((spec) => {
    const name = spec.slice(spec.lastIndexOf(':') + 1).replace(/^refs\/heads\//, '')
    return name === 'HEAD' || name === '@' ? (currentBranch(call) ?? []) : [name]
  })
}

/** Whether a branch belongs to this person alone: it begins with their name, or git has just found it merged. */
export const isOwnBranch = (call: Call, branch: string): boolean => {
  const { home, cwd } = call.engine.paths
  const users = [posix.basename(home), /^\/(?:home|Users)\/([^/]+)\//.exec(cwd)?.[1]]
  const [first = '', ...rest] = branch.split('/')
  return (rest.length > 0 && users.includes(first)) || call.engine.scratch.files.has(`${MERGED}${branch}`)
}

/** With its name, stands for a branch that the command itself has deleted here, which git does only if it is merged. */
export const MERGED = '.git/merged/'

/** A branch that others build on, as the target of a refspec. */
const isShared = (spec: string): boolean =>
  /(?:^\+?|[:/])(?:main|master|trunk|develop|production|prod|release(?:[/-].*)?|stable)$/.test(spec)
