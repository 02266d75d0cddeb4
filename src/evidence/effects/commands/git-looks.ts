import { type Field, visible } from '../values/field.ts'
import { words } from '../values/words.ts'

/** What a git command was given. */
export interface GitArguments {
  readonly has: (...names: readonly string[]) => boolean
  readonly operands: readonly Field[]
}

const firstOf = ({ operands }: GitArguments): string => (operands[0] === undefined ? '' : visible(operands[0]))

/** Commands that only read, regardless of their arguments. */
const LOOKS = new Set(
  words(`status log diff show rev-parse ls-files ls-tree cat-file blame annotate shortlog describe grep rev-list
    merge-base name-rev whatchanged show-ref show-branch for-each-ref check-ignore check-attr count-objects
    diff-tree diff-index diff-files cherry range-diff var version help verify-commit verify-tag fsck`),
)

/** Commands that only look with these first words, or with none. */
const LOOKS_AT: Readonly<Record<string, RegExp>> = {
  stash: /^(?:list|show)$/,
  remote: /^(?:|show|get-url)$/,
  worktree: /^list$/,
  submodule: /^(?:|status|summary)$/,
  reflog: /^(?:|show|exists)$/,
  notes: /^(?:|list|show)$/,
  bisect: /^(?:log|view|visualize)$/,
}

/** Options by which `git branch` and `git tag` change something. */
const SETS = words('-d -D -m -M -c -C -f -u -a -s --delete --move --copy --force')

/** Options by which they list. */
const LISTS = words('-l --list -r --remotes --contains --merged --no-merged --points-at --show-current -v')

/** Whether a git command only looks at the repository. */
export const looks = (git: GitArguments, name: string): boolean => {
  const at = Object.hasOwn(LOOKS_AT, name) ? LOOKS_AT[name] : undefined
  if (at !== undefined) return at.test(firstOf(git))
  const sets = git.has(...SETS)
  if (name === 'branch' || name === 'tag') {
    const lists = git.has(...LISTS)
    return (lists || git.operands.length === 0) && !(sets && !(name === 'branch' && git.has('-a')))
  }
  if (name === 'config')
    return git.has('--get', '--get-all', '--get-regexp', '--list', '-l') || /^(?:get|list)$/.test(firstOf(git))
  return LOOKS.has(name)
}
