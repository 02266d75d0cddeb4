import { serverNameOf } from '../../protocol/server-name.ts'

/** How the gateway is started in place of a server; absolute paths. */
export interface Wrapping {
  readonly node: string
  /** The program `sallyport`. */
  readonly main: string
  readonly data: string
  /** The person's home folder and the folder of the guard's settings: the gateway takes neither from its environment. */
  readonly home: string
  readonly configHome: string
  /** The guard is a service of the system. */
  readonly isSystem: boolean
}

/** A command with its arguments. */
export type CommandLine = readonly [command: string, ...args: string[]]

/** What a command line of a server is. */
export type Wrapped =
  | { readonly by: 'nobody' }
  /** By the documented command, which a person wrote. */
  | { readonly by: 'hand' }
  /** By an installation; `isCurrent`: of this program and data folder. */
  | { readonly by: 'install'; readonly inner: CommandLine; readonly isCurrent: boolean }

const PROGRAM = /[/\\]cli[/\\]main\.[jt]s$/

/** The command line that runs a server behind the gateway. */
export const wrap = (
  { node, main, data, home, configHome, isSystem }: Wrapping,
  name: string,
  [command, ...args]: CommandLine,
): CommandLine => [
  node,
  main,
  'mcp',
  '--name',
  serverNameOf(name),
  '--data',
  data,
  '--home',
  home,
  '--config-home',
  configHome,
  ...(isSystem ? ['--system'] : []),
  '--',
  command,
  ...args,
]

/** Options of `sallyport mcp` with a value, for a server that it starts. */
const VALUED = /^--(?:name|data|home|config-home)$/

interface Given {
  readonly values: ReadonlyMap<string, string>
  readonly isSystem: boolean
}

/** Options of `sallyport mcp` before `--`; `undefined` for others. */
const optionsOf = (given: readonly string[]): Given | undefined => {
  // `--name=x` is the same as `--name x`.
  const args = given.flatMap((arg) => /^(--[\w-]+)=([^]*)$/.exec(arg)?.slice(1) ?? [arg])
  const values = new Map<string, string>()
  let isSystem = false
  for (let at = 0; at < args.length; at++) {
    const [option = '', value] = [args[at], args[at + 1]]
    if (option === '--system') isSystem = true
    else if (VALUED.test(option) && value !== undefined) {
      values.set(option, value)
      at++
    } else return undefined
  }
  return { values, isSystem }
}

/**
 * Whether a command line runs a server behind the gateway. Only the program of this installation, with its data folder,
 * counts as it is: a repository could name another program that looks the same.
 */
export const wrappedBy = (wrapping: Wrapping, [command, ...args]: CommandLine): Wrapped => {
  const { node, main, data, home, configHome, isSystem } = wrapping
  const isByHand = command === 'sallyport'
  const rest = isByHand ? args : PROGRAM.test(args[0] ?? '') ? args.slice(1) : []
  const end = rest.indexOf('--')
  const options = rest[0] === 'mcp' && end !== -1 ? optionsOf(rest.slice(1, end)) : undefined
  const [program, ...own] = rest.slice(end + 1)
  if (options === undefined || program === undefined) return { by: 'nobody' }
  const isOf = (option: string, wanted: string, missing?: string): boolean =>
    (options.values.get(option) ?? missing) === wanted
  if (isByHand) {
    const isOurs =
      isOf('--data', data, data) && isOf('--home', home, home) && isOf('--config-home', configHome, configHome)
    return { by: isOurs ? 'hand' : 'nobody' }
  }
  const isCurrent =
    command === node &&
    args[0] === main &&
    isOf('--data', data) &&
    isOf('--home', home) &&
    isOf('--config-home', configHome) &&
    options.isSystem === isSystem
  return { by: 'install', inner: [program, ...own], isCurrent }
}
