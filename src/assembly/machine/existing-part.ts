import { basename, dirname } from 'node:path'

/** The deepest part of a path that exists. */
export interface ExistingPart<T> {
  readonly path: string
  readonly found: T
  /** Names below it that do not exist, from the uppermost. */
  readonly missing: readonly string[]
}

/** A path and all folders above it, the uppermost last. */
const upwards = (path: string): readonly [string, ...string[]] => {
  const all: [string, ...string[]] = [path]
  for (let [at, up] = [path, dirname(path)]; up !== at; [at, up] = [up, dirname(up)]) all.push(up)
  return all
}

/**
 * Finds the deepest part of a path that exists; `undefined` where none does. Nothing exists below what does not: so the
 * steps upwards double until something is found, and the border is found by halving. A command can name folders in
 * folders by the hundred, and asking the machine for each of them would cost by the square.
 * @param look what is at a path, `undefined` where nothing is
 */
export const existingPart = <T>(path: string, look: (path: string) => T | undefined): ExistingPart<T> | undefined => {
  const ups = upwards(path)
  let absent = -1
  let level = 0
  let found = look(path)
  while (found === undefined) {
    if (level === ups.length - 1) return undefined
    absent = level
    level = Math.min(2 * level + 1, ups.length - 1)
    found = look(ups[level] ?? path)
  }
  while (level - absent > 1) {
    const middle = Math.floor((level + absent) / 2)
    const between = look(ups[middle] ?? path)
    if (between === undefined) absent = middle
    else [level, found] = [middle, between]
  }
  const missing = ups.slice(0, level).map((up) => basename(up))
  return { path: ups[level] ?? path, found, missing: missing.toReversed() }
}
