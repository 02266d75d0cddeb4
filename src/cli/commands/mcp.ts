import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import process from 'node:process'
import { startGuard } from '../../client/start-guard.ts'
import { dataFiles, dataFolder } from '../../config/data-folder.ts'
import { SallyportError } from '../../errors/errors.ts'
import { createGuardAsker } from '../../gateways/guard/guard-asker.ts'
import { createMcpSession } from '../../gateways/mcp/session.ts'
import { wrapServer } from '../../gateways/stdio/wrap.ts'
import { guardEnv } from '../../hosts/claude-code/hook-command.ts'
import { programFile } from '../hosts/program-file.ts'
import { readArguments } from '../io/arguments.ts'
import type { Command, ExitCode } from '../io/io.ts'

const USAGE = `Usage: sallyport mcp [--name NAME] [--data DIR] [--system] -- COMMAND [ARGUMENT ...]

Runs an MCP server that speaks stdio, and decides on each message in both directions. In the settings of an MCP client,
write this command in place of the server's own. Starts the guard if it is not running. Without a verdict, a message is
refused. Ends with the exit code of the server.

  --name NAME  the server in policies and the trace (default: the name of the program)
  --data DIR   the guard's data folder (default: $SALLYPORT_DATA or ~/.local/share/sallyport)
  --system     the guard is a system service and is not started from here`

/** Longest time for a verdict: clients give up on a call after a minute. */
const DEADLINE_MS = 50_000
const NAME = /^[\w.:@/-]{1,128}$/

const LAUNCHERS = /^(?:node|npx|bunx?|deno|python[\d.]*|uvx?|docker|sh|bash)$/

/** The program's name, or the first operand of a launcher. */
const nameOf = (command: readonly string[]): string => {
  const [program = '', ...args] = command
  const own = basename(program).replace(/\.\w{1,4}$/, '')
  const operand = LAUNCHERS.test(own) ? args.find((arg) => !arg.startsWith('-')) : undefined
  const name = (operand === undefined ? own : operand.startsWith('/') ? basename(operand) : operand).slice(0, 128)
  return NAME.test(name) ? name : 'mcp'
}

/** `sallyport mcp`. */
export const mcp: Command = {
  name: 'mcp',
  summary: 'run an MCP server behind the guard',
  usage: USAGE,
  async run(args, io) {
    const at = args.indexOf('--')
    const { values } = readArguments(at === -1 ? args : args.slice(0, at), {
      name: { type: 'string' },
      data: { type: 'string' },
      system: { type: 'boolean' },
    })
    const [program, ...rest] = at === -1 ? [] : args.slice(at + 1)
    if (program === undefined)
      throw new SallyportError('SP_USAGE', { detail: 'It needs `--` and the command of a server.', command: 'mcp' })
    if (values.name !== undefined && !NAME.test(values.name))
      throw new SallyportError('SP_USAGE', {
        detail: '--name takes 1 to 128 letters, digits or . : @ / _ -.',
        command: 'mcp',
      })
    const data = dataFolder(values.data, io.env, io.home)
    const { socket, log: logFile } = dataFiles(data)
    const log = (what: string, detail?: string): void => {
      io.err(JSON.stringify({ sallyport: 'mcp', event: what, ...(detail === undefined ? {} : { detail }) }))
    }
    const guard = createGuardAsker({
      socket,
      protocol: 'mcp',
      deadlineMs: DEADLINE_MS,
      log,
      ...(values.system === true
        ? {}
        : {
            start: (signal) =>
              startGuard({
                data,
                socket,
                log: logFile,
                command: [process.execPath, '--disable-sigusr1', programFile('cli/main'), 'serve', '--data', data],
                env: guardEnv(io.env, io.home, io.env['SALLYPORT_CONFIG_HOME']),
                signal,
              }),
          }),
    })
    const server = values.name ?? nameOf([program, ...rest])
    const session = `mcp-${randomUUID()}`
    const code = await wrapServer({
      command: [program, ...rest],
      // The guard's own token is not for servers.
      env: Object.fromEntries(Object.entries(io.env).filter(([name]) => !name.startsWith('SALLYPORT_'))),
      input: process.stdin,
      output: process.stdout,
      log,
      session: (send) =>
        createMcpSession({
          server,
          decide: (question) => guard.ask({ ...question, session, cwd: io.cwd }),
          send,
          log,
          makeId: randomUUID,
          after: (ms, run) => {
            const timer = setTimeout(run, ms)
            return () => {
              clearTimeout(timer)
            }
          },
        }),
    })
    guard.close()
    // The program in its place has codes of its own.
    return code as ExitCode
  },
}
