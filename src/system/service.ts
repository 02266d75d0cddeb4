import type { SystemLayout } from './layout.ts'

/** The program of the service. */
export interface Service {
  readonly layout: SystemLayout
  /** Program that runs the guard, absolute. */
  readonly node: string
  /** The guard's command line program in the installed copy, absolute. */
  readonly main: string
  readonly port: number
}

/** Whose agents are guarded: the analysis of their calls needs to know it. */
export interface GuardedUser {
  readonly name: string
  readonly uid: number
  readonly home: string
  readonly shell: string
}

/** PATH of the service: root's folders alone. */
const SERVICE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Program and arguments of the service. */
export const serviceCommand = ({ layout, node, main, port }: Service): readonly string[] => [
  node,
  // By default Node opens its debugger on SIGUSR1.
  '--disable-sigusr1',
  main,
  'serve',
  '--data',
  layout.data,
  '--hooks',
  layout.hooks,
  '--port',
  String(port),
]

/** Variables of the guarded user that calls of an agent may name, and the place of the guard's configuration. */
export const serviceEnvironment = (
  layout: SystemLayout,
  { name, home, shell }: GuardedUser,
): Readonly<Record<string, string>> => ({
  HOME: home,
  USER: name,
  LOGNAME: name,
  SHELL: shell,
  PATH: SERVICE_PATH,
  SALLYPORT_CONFIG_HOME: layout.userConfig,
})

/** A word as service managers and environment files take it: quoted only where it has to be. */
export const quotedWord = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) ? text : `"${text.replaceAll(/[\\"$`]/g, (character) => `\\${character}`)}"`

/** The environment as a file. */
export const environmentText = (variables: Readonly<Record<string, string>>): string =>
  [
    '# Written by `sallyport install --system`: the user whose agents are guarded.',
    ...Object.entries(variables).map(([name, value]) => `${name}=${quotedWord(value)}`),
    '',
  ].join('\n')
