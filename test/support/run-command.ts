import type { Command, ExitCode, Io } from '../../src/cli/io/io.ts'

/** The output and the exit code of a command. */
export interface CommandRun {
  readonly code: ExitCode
  readonly out: string
  readonly err: string
}

/** Runs a command as in a pipe, with nothing to read. */
export const runCommand = async (
  command: Command,
  args: readonly string[],
  place: Pick<Io, 'env' | 'cwd' | 'home'>,
): Promise<CommandRun> => {
  const said = { out: '', err: '' }
  const io: Io = {
    ...place,
    out: (text) => (said.out += `${text}\n`),
    err: (text) => (said.err += `${text}\n`),
    stdin: async () => '',
    isTty: false,
    signal: new AbortController().signal,
  }
  return { code: await command.run(args, io), ...said }
}
