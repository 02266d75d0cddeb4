import { textOf } from '../values/field.ts'
import { EMPTY, type Value, unknown } from '../values/value.ts'
import { words } from '../values/words.ts'
import type { Call, CommandRow } from '../engine/call.ts'
import { after } from './wrappers.ts'

/** A command of another user has another home, with other settings. */
const OTHER_USER: ReadonlyMap<string, Value> = new Map([['SUDO_USER', unknown()]])

/** What runs with other rights than the agent's own. */
const RAISED = { raised: true } as const

/** A shell with other rights and no command: its typed input is not analysed. */
const openShell = (call: Call): Value => {
  call.emit('privilege.raise', [], { traits: ['unseen'] })
  return EMPTY
}

/** Options with which a program that raises rights runs no command. */
const ASKS = words('-l --list -v --validate -k -K --reset-timestamp --remove-timestamp -V --version -h --help')

const raise = (call: Call): Value => {
  call.emit('privilege.raise')
  const { has, operands } = call.options
  if (has('-e', '--edit')) {
    // An editor waits for the person; one chosen by the command may write by itself.
    if (['EDITOR', 'VISUAL', 'SUDO_EDITOR'].some((name) => call.environment().has(name)))
      call.write(operands, undefined)
    return EMPTY
  }
  // The first word of these is the user.
  const own = /^(?:gosu|su-exec)$/.test(call.name) ? 1 : 0
  // The password precedes the input of the program, and is not code.
  const change = has('-S', '--stdin') && call.name === 'sudo' ? { ...RAISED, stdin: undefined } : RAISED
  if (operands.length > own) return after(call, own, has('-u', '--user') ? OTHER_USER : undefined, change)
  if (has(...ASKS)) return EMPTY
  const isShell = has('-s', '-i', '--shell', '--login') || call.name === 'run0'
  if (call.stdin !== undefined && isShell) return call.shell(call.stdin, { forked: true, ...RAISED })
  return isShell ? openShell(call) : EMPTY
}

const su = (call: Call): Value => {
  call.emit('privilege.raise')
  const codes = call.options.get('-c', '--command', '--session-command')
  for (const code of codes) call.shell(code, { forked: true, environment: OTHER_USER, ...RAISED })
  if (codes.length > 0 || call.options.has('-V', '--version', '-h', '--help')) return EMPTY
  // `runuser -u USER -- COMMAND`.
  if (call.name === 'runuser' && call.options.has('-u')) return call.run(call.options.operands.slice(1), RAISED)
  return call.stdin === undefined ? openShell(call) : call.shell(call.stdin, { forked: true, ...RAISED })
}

/** Starts a session as another user, who types there. */
const login = (call: Call): Value => {
  const code = call.options.operands.findIndex((field) => textOf(field) === '-c')
  const given = call.options.get('-c')[0] ?? (code < 0 ? undefined : call.options.operands[code + 1])
  if (call.options.has('--help', '--version')) return EMPTY
  call.emit('privilege.raise')
  if (given !== undefined) return call.shell(given, { forked: true, ...RAISED })
  return call.stdin === undefined ? openShell(call) : call.shell(call.stdin, { forked: true, ...RAISED })
}

/** Programs that run others with other rights: as another user, or in another root or namespace. */
export const PRIVILEGE_COMMANDS: readonly CommandRow[] = [
  {
    names: ['sudo', 'doas', 'pkexec', 'gosu', 'su-exec', 'run0', 'dzdo', 'please'],
    values: ['-u', '--user', '-g', '--group', '-h', '-p', '-C', '-T', '-r', '-t', '-U', '-D', '--chdir', '-R'],
    stopAtOperand: true,
    run: raise,
    examples: [
      ['sudo rm -rf /', 'privilege.raise', 'fs.delete+recursive+force@root'],
      ['sudo -e /etc/fstab', 'privilege.raise'],
      ['sudo -l', 'privilege.raise'],
      ['sudo -i', 'privilege.raise', 'privilege.raise+unseen'],
      ['sudo su - deploy', 'privilege.raise', 'privilege.raise', 'privilege.raise+unseen'],
      ['sudo -u root env A=1 bash -i', 'privilege.raise', 'privilege.raise+unseen'],
      ['echo pw | sudo -S sh', 'privilege.raise', 'privilege.raise+unseen'],
      ['sudo python3 -c "import os; os.system(\'sh\')"', 'privilege.raise', 'privilege.raise+unseen'],
      ['sudo bash deploy.sh', 'privilege.raise', 'exec.run+script@workspace'],
      ["sudo bash -c 'ls /tmp'", 'privilege.raise', 'fs.list@temp'],
      ['gosu app ls /tmp', 'privilege.raise', 'fs.list@temp'],
      ['gosu root sh', 'privilege.raise', 'privilege.raise+unseen'],
      ["SUDO_EDITOR='tee -a' sudo -e /etc/fstab", 'privilege.raise', 'fs.write@system'],
      ['sudo -u root -- rm -rf /etc', 'privilege.raise', 'fs.delete+recursive+force@system'],
    ],
  },
  {
    names: ['su', 'runuser'],
    values: ['-c', '--command', '-s', '--shell', '-g', '-G'],
    run: su,
    examples: [
      ['su - app', 'privilege.raise', 'privilege.raise+unseen'],
      ["su app -c 'ls /tmp'", 'privilege.raise', 'fs.list@temp'],
      ["su -c 'rm -rf /' root", 'privilege.raise', 'fs.delete+recursive+force@root'],
    ],
  },
  {
    names: ['login', 'newgrp'],
    stopAtOperand: true,
    run: login,
    examples: [['newgrp docker', 'privilege.raise', 'privilege.raise+unseen']],
  },
  {
    names: ['chroot', 'nsenter', 'setpriv'],
    values: ['-p', '-t', '--userspec', '--groups'],
    stopAtOperand: true,
    run: (call) => {
      const own = call.name === 'chroot' ? 1 : 0
      // Without a command, both start a shell.
      if (call.options.operands.length <= own && !call.options.has('--help', '--version', '-h', '-V'))
        return call.name === 'setpriv' ? EMPTY : openShell(call)
      return after(call, own, undefined, RAISED)
    },
    examples: [
      ['chroot /mnt', 'privilege.raise+unseen'],
      ['nsenter -t 1 -m sh', 'privilege.raise+unseen'],
      ['nsenter -t 1 -m ls /tmp', 'fs.list@temp'],
    ],
  },
]
