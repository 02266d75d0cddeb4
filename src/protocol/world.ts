/** The kind of a path on the machine, without following a last link. */
export type PathKind = 'file' | 'directory' | 'link' | 'other' | 'missing'

/** Longest file whose text is returned, in bytes: the trace stores one string of this length whole. */
export const MOST_READ = 65_536

/**
 * The few questions of an analysis to the machine: the machine itself in enforcement, recorded answers in replay, given
 * `files` and `env` in `explain` and tests. Every method returns an answer and never throws.
 */
export interface World {
  /** Absolute path with every link on the way resolved as far as the path exists; the input itself when nothing does. */
  realPath(path: string): string
  pathKind(path: string): PathKind
  /** Names in a directory, unsorted; `null` when it cannot be listed or has more than 10,000. */
  list(path: string): readonly string[] | null
  /** Content of a regular file, links followed; `null` when it cannot be read, is longer than `MOST_READ` or no text. */
  read(path: string): string | null
  /**
   * One part of a longer text file, links followed: part 0 is its first `MOST_READ` bytes, cut at the end of a
   * character; `null` when there is no such part or the file is not text.
   */
  readPart(path: string, part: number): string | null
  /**
   * Reads a file whose content stays out of every record: `look` receives its text, and only a keyed digest of the text
   * with the result of `look`, separated by a blank, is returned and recorded; `null` as for `read`.
   */
  conceal(path: string, look: (text: string) => string): string | null
  /** Value of an environment variable as the agent's shell would see it. */
  env(name: string): string | undefined
  /** Home directory of the person the agent runs as, absolute. */
  readonly home: string
}
