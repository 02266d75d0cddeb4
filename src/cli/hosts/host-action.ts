import { SallyportError } from '../../errors/errors.ts'
import type { ExitCode, Io } from '../io/io.ts'

/** What can be done with a host. */
export type HostAction = 'install' | 'uninstall' | 'doctor'

/** One action of one host; its code is loaded only when it runs. */
export interface HostCommand {
  /** Operands and options after `sallyport ACTION HOST`, for `--help`. */
  readonly usage: string
  /** Another host may be named after it, whose file it changes. */
  readonly takesHost?: true
  readonly run: (args: readonly string[], io: Io) => Promise<ExitCode>
}

/** Refuses further operands after the host. @throws SallyportError SP_USAGE */
export const refuseMoreArguments = (positionals: readonly string[], host: string, command: HostAction): void => {
  const more = positionals.filter((one) => one !== host)
  if (more.length > 0 || positionals.length !== 1)
    throw new SallyportError('SP_USAGE', {
      detail: `\`sallyport ${command} ${host}\` takes only options, not "${more[0] ?? host}".`,
      command,
    })
}
