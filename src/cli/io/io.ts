/** The environment of a command: its input, output and machine. An argument, so that tests need no process. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Reads standard input to its end. */
  readonly stdin: () => Promise<string>
  /** Standard input in pieces, when it may exceed memory; without it `stdin` is read as a whole. */
  readonly stdinChunks?: () => AsyncIterable<Uint8Array>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  /** Asks the person and reads one line. Absent where standard input or standard error is not a terminal. */
  readonly ask?: (question: string) => Promise<string>
  /**
   * Reads one hidden line, such as a passphrase, from the terminal. Absent where standard input or standard error is
   * not one. @throws Error when the person aborts
   */
  readonly readSecret?: (prompt: string) => Promise<string>
  /** True when `out` is a terminal: colours and progress only then. */
  readonly isTty: boolean
  /** Columns of that terminal. */
  readonly columns?: number
  /** Aborted on SIGINT and SIGTERM. */
  readonly signal: AbortSignal
  /**
   * Lets another process end this one when it hangs; returns the function that stops this. Absent in a process that is
   * not ours.
   */
  readonly keepWatched?: () => () => void
}

/** A command: arguments after its name, and the exit code it ends with. */
export interface Command {
  readonly name: string
  /** One line for `sallyport --help`. */
  readonly summary: string
  readonly usage: string
  run(args: readonly string[], io: Io): Promise<ExitCode>
}

/** 0 success; 1 the answer is no; 2 wrong use or configuration; 3 the guard could not answer. */
export type ExitCode = 0 | 1 | 2 | 3
