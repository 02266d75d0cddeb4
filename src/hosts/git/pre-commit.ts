import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { SallyportError } from '../../errors/errors.ts'
import { singleQuoted } from '../../protocol/shell-word.ts'

/** The programs that the hook starts: Node and Sallyport. Absolute paths. */
export interface HookProgram {
  readonly node: string
  readonly main: string
}

/** The result of a change to the hook. */
export interface HookChange {
  readonly change: 'unchanged' | 'written' | 'removed'
  /** The hook, absolute. */
  readonly path: string
  /** The earlier hook, which is called after ours, absolute. */
  readonly chained?: string
}

const MARK = '# sallyport:pre-commit'
const CHAINED = 'pre-commit.before-sallyport'

/** The hook: fails when Sallyport refuses or is missing, then runs the earlier hook. */
const hookText = ({ node, main }: HookProgram): string => `#!/bin/sh
${MARK}: secrets in the lines to be committed stop the commit; \`sallyport uninstall git\` removes this.
node=${singleQuoted(node)}
main=${singleQuoted(main)}
if [ ! -x "$node" ] || [ ! -f "$main" ]; then
  echo "sallyport: $main cannot be started, so nothing was scanned. Install it again, or commit with --no-verify." >&2
  exit 1
fi
"$node" "$main" scan --staged || exit 1
before="$(dirname "$0")/${CHAINED}"
[ ! -x "$before" ] || exec "$before" "$@"
`

const placesIn = (folder: string) => ({ path: join(folder, 'pre-commit'), chained: join(folder, CHAINED) })

/** Whether a file or link of this name exists, even a dangling link. */
const isThere = (path: string): boolean => {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** Text of our hook; `undefined` if there is none, or another's. */
const ownText = (path: string): string | undefined => {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return text.split('\n', 2)[1]?.startsWith(MARK) === true ? text : undefined
}

const changeOf = (change: HookChange['change'], { path, chained }: ReturnType<typeof placesIn>): HookChange => ({
  change,
  path,
  ...(isThere(chained) ? { chained } : {}),
})

const wrong = (detail: string): SallyportError => new SallyportError('SP_USAGE', { detail, command: 'install' })

/**
 * Writes the hook into a folder of hooks. An existing hook is renamed and called after it.
 * @throws SallyportError SP_USAGE when both names are taken by others
 */
export const addHook = (folder: string, program: HookProgram): HookChange => {
  const places = placesIn(folder)
  const text = hookText(program)
  const own = ownText(places.path)
  if (own === text) return changeOf('unchanged', places)
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw wrong(`${folder}, where git looks for hooks, is not a folder.`)
  mkdirSync(folder, { recursive: true })
  if (own === undefined && isThere(places.path)) {
    if (isThere(places.chained))
      throw wrong(`${places.path} is not a hook of Sallyport and ${CHAINED} already exists: merge the two first.`)
    renameSync(places.path, places.chained)
  }
  const fresh = `${places.path}.${process.pid}`
  writeFileSync(fresh, text, { mode: 0o755 })
  chmodSync(fresh, 0o755)
  renameSync(fresh, places.path)
  return changeOf('written', places)
}

/** Removes the hook and restores the earlier one. Leaves hooks of others alone. */
export const removeHook = (folder: string): HookChange => {
  const places = placesIn(folder)
  if (ownText(places.path) === undefined) return { change: 'unchanged', path: places.path }
  if (isThere(places.chained)) renameSync(places.chained, places.path)
  else rmSync(places.path)
  return { change: 'removed', path: places.path }
}
