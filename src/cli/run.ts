import { SallyportError } from '../errors/errors.ts'
import { VERSION } from '../package/version.ts'
import { COMMANDS } from './commands/index.ts'
import type { ExitCode, Io } from './io/io.ts'
import { serviceNote } from './hosts/system-installation.ts'

const help = (): string => {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  return [
    'sallyport: one guard for every AI agent hook',
    '',
    'Usage: sallyport COMMAND [OPTIONS]',
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Run `sallyport COMMAND --help` for details. Exit codes: 0 done, 1 the answer is no, 2 wrong use, 3 the guard could not answer.',
  ].join('\n')
}

/** Runs one command line; turns an error into its message and the exit code for wrong use. */
export const run = async (args: readonly string[], io: Io): Promise<ExitCode> => {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    io.out(help())
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === 'version') {
    io.out(VERSION)
    return 0
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (entry === undefined) {
    io.err(`sallyport: there is no command "${name}". Run \`sallyport --help\`.`)
    return 2
  }
  const command = await entry.load()
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(command.usage)
    return 0
  }
  const note = serviceNote(name, rest, io)
  if (note !== undefined) io.err(note)
  try {
    return await command.run(rest, io)
  } catch (error) {
    if (error instanceof SallyportError) io.err(`sallyport ${name}: ${error.code}: ${error.message}`)
    else if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
      io.err(`sallyport ${name}: ${error.message}\n${command.usage}`)
    else throw error
    return 2
  }
}
