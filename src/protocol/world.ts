/** What a path is on the machine, without following a last link. */
export type PathKind = 'file' | 'directory' | 'link' | 'other' | 'missing'

/** Longest file whose text is given, in bytes: what the trace keeps of one string whole. */
export const MOST_READ = 65_536

/**
 * The few questions an analysis may put to the machine: the machine itself in enforcement, recorded
 * answers in replay, given `files` and `env` in `explain` and tests. Every method answers and never throws.
 */
export interface World {
  /** Absolute path with every link on the way resolved as far as the path exists; the input itself when nothing does. */
  realPath(path: string): string
  pathKind(path: string): PathKind
  /** Names in a directory, unsorted; `null` when it cannot be listed or holds more than 10,000. */
  list(path: string): readonly string[] | null
  /** Content of a regular file, links followed; `null` when it cannot be read, is longer than `MOST_READ` or no text. */
  read(path: string): string | null
  /**
   * One part of a longer text file, links followed: part 0 is its first `MOST_READ` bytes, cut where a character ends;
   * `null` when there is no such part or it is no text.
   */
  readPart(path: string, part: number): string | null
  /**
   * Looks at a file whose content stays out of every record: `look` is given its text, and a keyed digest of the text with
   * what `look` returns, parted by a blank, is all that is given and kept of it; `null` as for `read`.
   */
  conceal(path: string, look: (text: string) => string): string | null
  /** Value of an environment variable as the agent's shell would see it. */
  env(name: string): string | undefined
  /** Home directory of the person the agent runs as, absolute. */
  readonly home: string
}
