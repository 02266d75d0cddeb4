import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { readEnvironment } from '../test/support/environment-file.ts'
import { cliEntry } from './cli.ts'
import type { ProgramRun } from './run-program.ts'

/** The agent's user on such a machine. */
export const AGENT = { name: 'agent', uid: 47_110, home: '/home/agent' } as const

/**
 * This machine with an /etc, a /usr, a /var/lib, a /home and a /tmp of its own, as long as a process in it lives.
 * Nothing is written to the machine's own.
 */
export interface Machine {
  /** Path by which a file of the machine is reached from outside. */
  seen(path: string): string
  /** Folder on the machine with its differences from the original machine. */
  readonly layers: string
  /** The command that starts a program as root on it. */
  readonly asRoot: readonly string[]
  /** The command that starts a program as the agent's user, in its project's folder. */
  readonly asAgent: readonly string[]
  /** Runs a program to its end. */
  run(prefix: readonly string[], command: readonly string[], env?: Readonly<Record<string, string>>): ProgramRun
  /** The checkout's `sallyport` where every user of the machine reaches it, with its Node. */
  readonly ownSallyport: readonly string[]
  /** Runs the checkout's `sallyport` as root, called by the agent's user with sudo. */
  sallyport(...args: readonly string[]): ProgramRun
  /** Starts what the unit starts: its command, user, capabilities (but one, where it is named) and environment. */
  startService(without?: string): Promise<Service>
}

/** A service that was started as its unit describes. */
export interface Service {
  readonly pid: number
  stop(): Promise<void>
}

/** The mounts of the machine; its layers are in memory. A checkout in /home or /tmp stays where it is. */
const MAKE = `set -e
mount --make-rprivate /
mkdir -p "$0"; mount -t tmpfs -o mode=0755 none "$0"
mkdir "$0/checkout" "$0/node"; mount --bind "$2" "$0/checkout"; mount --bind "$3" "$0/node"
for one in etc usr var/lib; do
  mkdir -p "$0/$one/upper" "$0/$one/work"
  mount -t overlay overlay -o "lowerdir=/$one,upperdir=$0/$one/upper,workdir=$0/$one/work" "/$one"
done
mount -t tmpfs -o mode=0755 none /home
mount -t tmpfs -o mode=1777 none /tmp
case "$2" in /home/*|/tmp/*) mkdir -p "$2"; mount --bind "$0/checkout" "$2" ;; esac
mkdir -p /usr/lib/the-client; mount --bind "$1" /usr/lib/the-client
mkdir -p /usr/lib/the-checkout /usr/lib/the-node
mount --bind "$0/checkout" /usr/lib/the-checkout; mount --bind "$0/node" /usr/lib/the-node
`

/** Keeps the machine, without a service manager. */
const KEEP = `echo ready
exec sleep infinity`

/**
 * Becomes systemd, in a cgroup of its own and without any unit of the machine: what is tried is our unit alone, under
 * the very manager that it is written for.
 */
const BOOT = `mount -t tmpfs -o mode=0755 none /run
umount -l /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
find /etc/systemd/system /usr/lib/systemd/system -name '*.wants' -o -name '*.requires' | xargs rm -rf
for one in sysinit basic multi-user local-fs; do
  printf '[Unit]\\nDefaultDependencies=no\\n' > /etc/systemd/system/$one.target
done
echo ready
container=docker exec /lib/systemd/systemd --system --unit=basic.target --log-level=err`

const CHECKOUT = join(import.meta.dirname, '..')
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const READY_LIMIT_MS = 60_000

/** Where the second version of control groups is mounted; `undefined` where it is not. */
const cgroups = (): string | undefined =>
  ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((path) => existsSync(join(path, 'cgroup.controllers')))

/** Whether machines can be made that systemd runs. */
export const canBootMachine = (): boolean =>
  canMakeMachine() && cgroups() !== undefined && existsSync('/lib/systemd/systemd')

/** Whether machines can be made here: by root, on Linux. */
export const canMakeMachine = (): boolean =>
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'true']).status === 0 &&
  ['setpriv', 'nsenter', 'useradd', 'systemd-sysusers'].every(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0,
  )

/** The directives of a unit, by name; a repeated one has both values. */
const directives = (unit: string): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>()
  for (const line of unit.split('\n')) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), value ?? ''])
  }
  return found
}

/** A running machine: its first process, by its outside id, and the namespaces to enter. */
interface Holder {
  readonly pid: number
  readonly namespaces: readonly string[]
}

const hold = async (folder: string, client: string): Promise<Holder> => {
  const words = ['-m', 'sh', '-c', `${MAKE}${KEEP}`, folder, client, CHECKOUT, dirname(process.execPath)]
  const holder = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return { pid: holder.pid ?? 0, namespaces: ['-m'] }
}

/** A group can be removed once the last process in it is gone. */
const rmGroup = async (group: string): Promise<void> => {
  for (let tries = 0; tries < 100 && existsSync(group); tries++, await sleep(50))
    spawnSync('find', [group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';'])
}

const bootUp = async (folder: string, client: string): Promise<Holder> => {
  const group = join(cgroups() ?? '', `sallyport-e2e-${process.pid}`)
  const inGroup = 'mkdir -p "$0"; echo $$ > "$0/cgroup.procs"; exec "$@"'
  const unshared = ['-m', '-p', '-f', '-u', '-i', '-C', '--mount-proc', '--kill-child']
  const words = [
    '-c',
    inGroup,
    group,
    'unshare',
    ...unshared,
    'sh',
    '-c',
    `${MAKE}${BOOT}`,
    folder,
    client,
    CHECKOUT,
    dirname(process.execPath),
  ]
  const holder = spawn('sh', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    const gone = once(holder, 'close')
    holder.kill('SIGKILL')
    await gone
    await rmGroup(group)
  })
  await once(holder.stdout, 'data')
  const children = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8')
  return { pid: Number(children.trim()), namespaces: ['-m', '-p', '-u', '-i'] }
}

/**
 * Makes a machine; the test's end takes it down.
 * @param client folder of the client's program
 * @param systemd whether systemd runs it, and the service
 */
export const makeMachine = async (folder: string, client: string, systemd = false): Promise<Machine> => {
  await mkdir(folder, { recursive: true })
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const holder = await (systemd ? bootUp(folder, client) : hold(folder, client))
  const asRoot = ['nsenter', '-t', String(holder.pid), ...holder.namespaces, '--']
  const run: Machine['run'] = (prefix, command, env = {}) => {
    const [program = '', ...args] = [...prefix, ...command]
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { PATH, ...env }, cwd: '/' })
    return { code: status, out: stdout, err: stderr }
  }
  const must = (...command: readonly string[]): void => {
    const { code, err } = run(asRoot, command)
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${err}`)
  }
  must('useradd', '-m', '-u', String(AGENT.uid), '-s', '/bin/bash', AGENT.name)
  const project = join(AGENT.home, 'project')
  must('install', '-d', '-o', AGENT.name, '-g', AGENT.name, project)
  const who = ['--reuid', AGENT.name, '--regid', AGENT.name, '--init-groups']
  const seen = (path: string): string => `/proc/${holder.pid}/root${path}`

  const service = (without?: string): Promise<Service> =>
    systemd ? managed(run, asRoot) : asUnitSays(seen, asRoot, without)

  return {
    seen,
    layers: folder,
    asRoot,
    asAgent: [...asRoot, 'setpriv', ...who, '--', 'env', '-C', project],
    run,
    ownSallyport: ['/usr/lib/the-node/node', join('/usr/lib/the-checkout', relative(CHECKOUT, cliEntry()))],
    sallyport: (...args) =>
      run(asRoot, [process.execPath, cliEntry(), ...args], {
        HOME: '/root',
        SUDO_USER: AGENT.name,
        SUDO_UID: String(AGENT.uid),
      }),
    startService: service,
  }
}

/** The service as systemd runs it. */
const managed = async (run: Machine['run'], asRoot: readonly string[]): Promise<Service> => {
  const systemctl = (...args: readonly string[]): ProgramRun => run(asRoot, ['systemctl', ...args])
  const started = systemctl('restart', 'sallyport')
  if (started.code !== 0) throw new Error(`systemctl restart ended with ${started.code}: ${started.err}`)
  const pid = Number(systemctl('show', 'sallyport', '-p', 'MainPID', '--value').out)
  const file = '/var/lib/sallyport/data/guard.json'
  for (const limit = Date.now() + READY_LIMIT_MS; Date.now() < limit; await sleep(50)) {
    const { out } = run(asRoot, ['cat', file])
    if (out.includes(`"pid":${pid},`)) return { pid, stop: async () => void systemctl('stop', 'sallyport') }
  }
  throw new Error(`The service was not ready in time: ${systemctl('status', 'sallyport').out}`)
}

/** The service without systemd: its command, user, capabilities and environment as the unit has them. */
const asUnitSays = async (seen: Machine['seen'], asRoot: readonly string[], without?: string): Promise<Service> => {
  const unit = directives(readFileSync(seen('/etc/systemd/system/sallyport.service'), 'utf8'))
  const one = (name: string): string => unit.get(name)?.[0] ?? ''
  const capabilities = one('AmbientCapabilities')
    .split(' ')
    .filter((name) => name !== without)
    .map((name) => `+${name.replace('CAP_', '').toLowerCase()}`)
    .join(',')
  const env = readEnvironment(readFileSync(seen(one('EnvironmentFile')), 'utf8'))
  const drop = ['--reuid', one('User'), '--regid', one('Group'), '--clear-groups', '--no-new-privs']
  const caps = ['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=-all,${capabilities}`)
  const [program = '', ...args] = [...asRoot, 'setpriv', ...drop, ...caps, ...one('ExecStart').split(' ')]
  const child = spawn(program, args, { env: { ...env }, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  await ready(child)
  const gone = once(child, 'close')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await gone
  }
  onTestFinished(stop)
  return { pid: child.pid ?? 0, stop }
}

const ready = (child: ChildProcess): Promise<void> =>
  new Promise((done, failed) => {
    let err = ''
    const limit = setTimeout(() => failed(new Error(`The service was not ready in time: ${err}`)), READY_LIMIT_MS)
    child.stderr?.on('data', (part: Buffer) => (err = (err + part.toString('utf8')).slice(-4000)))
    child.stdout?.on('data', () => {
      clearTimeout(limit)
      done()
    })
    child.on('exit', (code) => failed(new Error(`The service ended with ${code}: ${err}`)))
  })

/** Writes a file of the machine as root. */
export const writeOn = async (machine: Machine, path: string, text: string): Promise<void> => {
  await mkdir(dirname(machine.seen(path)), { recursive: true })
  await writeFile(machine.seen(path), text)
}
