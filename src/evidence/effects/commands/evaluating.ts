import { literal, textOf, visible } from '../values/field.ts'
import { EMPTY, type Value, concat, isKnown, known, mapTexts, unknown, withFlow } from '../values/value.ts'
import type { Call, CommandRow, Example } from '../engine/call.ts'
import { escapes, HIDDEN } from './format.ts'

const ROOT = 'fs.delete+recursive+force@root'
const MAY = 'fs.delete?+recursive+force@root'

/** Code that the shell runs later. */
const later = { possible: true, forked: true } as const

const joined = (fields: readonly Value[]): Value =>
  fields.reduce<Value>((all, field, at) => (at === 0 ? field : concat(concat(all, known(' ')), field)), EMPTY)

/** Runs the words from a position on as a command, without the braces around them. */
const runFrom = (call: Call, at: number): Value => {
  const argv = call.args.slice(at)
  const inner = textOf(argv[0]) === '{' || textOf(argv[0]) === 'do' ? argv.slice(1) : argv
  const end = textOf(inner.at(-1)) === '}' ? inner.length - 1 : inner.length
  return end > 0 ? call.run(inner.slice(0, end)) : EMPTY
}

/** Words before a command that change how it is run, in zsh or in fish: names, how many words they take, an example. */
const BEFORE: readonly (readonly [names: readonly string[], own: number, example: Example])[] = [
  [['repeat'], 1, ['repeat 1 rm -rf /', ROOT]],
  [['-'], 0, ['- rm -rf /', ROOT]],
  [['and', 'or', 'not', 'begin'], 0, ['true; and rm -rf /', ROOT]],
]

const COMPARES_NUMBERS = /^-(?:eq|ne|lt|le|gt|ge)$/

const test = (call: Call): Value => {
  for (const [at, field] of call.args.entries()) {
    const before = textOf(call.args[at - 1])
    const named = before === '-v' || before === '-R'
    // zsh compares numbers as expressions.
    const compared = [before, textOf(call.args[at + 1])].some((sign) => COMPARES_NUMBERS.test(sign ?? ''))
    if (named || compared) call.evaluate(field, 'name')
  }
  return EMPTY
}

/** Completions: their code and their words are run when a person presses a key, or at once by `compgen`. */
const complete = (call: Call): Value => {
  for (const code of call.options.get('-C', '-n')) call.shell(code, later)
  for (const name of call.options.get('-F')) call.run([name], later)
  for (const words of call.options.get('-W', '-a')) {
    call.evaluate(words, 'text')
    const code = /^\s*\(([^]*)\)\s*$/.exec(visible(words))?.[1]
    if (code !== undefined) call.shell(known(code, words.flow), later)
  }
  const listsVariables =
    call.options.has('-v', '-e') || call.options.get('-A').some((field) => /^(?:variable|export)$/.test(visible(field)))
  return listsVariables ? withFlow(unknown(), { secrets: [{ type: 'resource', name: 'environment' }] }) : EMPTY
}

/** Keys: `bind -x '"k": code'` in bash, `bind k code` in fish, `bindkey -s k text` in zsh. */
const bind = (call: Call): Value => {
  const [first, ...rest] = call.options.operands
  for (const field of [...call.options.get('-x'), ...(first ? [first] : [])]) {
    const code = /^\s*(?:"(?:[^"\\]|\\.)*"|[^\s:]+):\s*([^]*)$/.exec(visible(field))?.[1]
    if (code !== undefined) call.shell(known(code.replace(/^"([^]*)"$/, '$1'), field.flow), later)
  }
  for (const field of rest) call.shell(known(visible(field).replace(/\\n$|\^M$/, ''), field.flow), later)
  return EMPTY
}

const print = (call: Call): Value => {
  const from = call.args.findIndex((field) => !/^-[a-zA-Z]+$/.test(visible(field)) || visible(field) === '--')
  const printed = from < 0 ? [] : call.args.slice(textOf(call.args[from]) === '--' ? from + 1 : from)
  const words = joined(printed)
  if (call.options.has('-P')) call.evaluate(words, 'text')
  if (call.options.has('-r', '-R')) return words
  return withFlow(mapTexts(words, escapes), { decoded: words.texts.some((text) => HIDDEN.test(text)) })
}

/** Modules of zsh by which a variable or a builtin reads and writes files and connections that are not followed. */
const REACHES = /^zsh\/(?:mapfile|system|zftp|net\/socket)$/

const load = (call: Call): Value => {
  for (const file of call.options.get('-f')) call.runFile(file, 'unknown', [])
  for (const field of call.name === 'zmodload' && !call.options.has('-u') ? call.options.operands : [])
    if (!isKnown(field) || field.texts.some((text) => REACHES.test(text)))
      call.engine.gap('dialect', field.raw, call.name, call.place)
  return EMPTY
}

/** Where zsh searches for functions: only if the call itself sets it, it differs from the installed place. */
const SEARCHED = ['fpath', 'fpath[@]', 'FPATH']

const autoload = (call: Call): Value => {
  const isElsewhere = SEARCHED.some((name) => call.state.vars.has(name))
  for (const field of call.options.operands)
    if (visible(field).includes('/')) call.runFile(field, 'here', [])
    else if (isElsewhere) call.engine.gap('dialect', field.raw, call.name, call.place)
  return EMPTY
}

const remember = (call: Call): Value => {
  for (const path of call.options.get('-p'))
    for (const name of call.options.operands) call.state.aliases.set(visible(name), visible(path))
  for (const field of call.options.operands) {
    const [, name, path] = /^([\w.-]+)=(.+)$/.exec(visible(field)) ?? []
    if (name !== undefined && path !== undefined) call.state.aliases.set(name, path)
  }
  return EMPTY
}

/** Commands of a shell whose arguments it evaluates. */
export const EVALUATING_COMMANDS: readonly CommandRow[] = [
  ...BEFORE.map(([names, own, example]): CommandRow => ({
    names,
    run: (call) => runFrom(call, own),
    examples: [example],
  })),
  {
    names: ['test', '['],
    run: test,
    examples: [['test -f x'], ["test -v 'a[$(rm -rf /)]'", MAY]],
  },
  {
    names: ['let'],
    run: (call) => {
      for (const field of call.args) call.evaluate(field, 'arithmetic')
      return EMPTY
    },
    examples: [['let x=1+2'], ["let 'a[$(rm -rf /)]'", MAY]],
  },
  {
    names: ['complete', 'compgen'],
    values: ['-o', '-A', '-G', '-W', '-F', '-C', '-X', '-P', '-S', '-a', '-n', '-c', '-d'],
    run: complete,
    examples: [["complete -C 'rm -rf /' x", MAY], ["compgen -W '$(rm -rf /)'", MAY], ['complete -F _git git']],
  },
  {
    names: ['bind', 'bindkey'],
    values: ['-x', '-m', '-M', '-k'],
    run: bind,
    examples: [
      ['bind -x \'"\\C-x": rm -rf /\'', MAY],
      ["bind \\cx 'rm -rf /'", MAY],
      ["bindkey -s '^X' 'rm -rf /\\n'", MAY],
    ],
  },
  {
    names: ['enable', 'zmodload'],
    values: ['-f'],
    run: load,
    examples: [
      ['enable -f ./x.so x', 'exec.run+script@workspace'],
      ['zmodload zsh/files'],
      ['zmodload zsh/mapfile', 'unresolved+dialect@unresolved'],
    ],
  },
  {
    names: ['autoload'],
    run: autoload,
    examples: [['autoload -Uz compinit'], ['fpath=(. $fpath); autoload -Uz f', 'unresolved+dialect@unresolved']],
  },
  {
    names: ['hash'],
    values: ['-p', '-t', '-d'],
    run: remember,
    examples: [['hash -p /bin/rm x; x -rf /', ROOT], ['hash -r']],
  },
  {
    names: ['fc'],
    values: ['-e'],
    run: (call) => {
      for (const code of call.options.get('-e')) call.shell(code, later)
      return EMPTY
    },
    examples: [["fc -e 'rm -rf /'", MAY], ["fc -e 'ls /'", 'fs.list?@root'], ['fc -l']],
  },
  {
    names: ['print'],
    values: ['-u', '-f', '-C', '-x', '-X', '-v'],
    run: print,
    examples: [["print -P '%{$(rm -rf /)%}'", MAY], ['print -l a b']],
  },
  {
    names: ['zpty', 'sched'],
    stopAtOperand: true,
    run: (call) => call.shell(joined(call.options.operands.slice(1)), later),
    examples: [
      ['zpty x rm -rf /', MAY],
      ['zpty x ls /', 'fs.list?@root'],
      ['sched +1 rm -rf /', MAY],
      ['sched +1 ls /', 'fs.list?@root'],
    ],
  },
  {
    names: ['add-zsh-hook', 'zle'],
    run: (call) => {
      const named = call.options.operands.at(-1)
      if (call.options.operands.length > 1 && named !== undefined) call.run([named], later)
      return EMPTY
    },
    examples: [['f() { rm -rf /; }; add-zsh-hook precmd f', MAY]],
  },
  {
    names: ['emulate'],
    values: ['-c'],
    run: (call) => {
      for (const code of call.options.get('-c')) call.shell(code)
      return EMPTY
    },
    examples: [["emulate sh -c 'rm -rf /'", ROOT]],
  },
  {
    names: ['zmv', 'zcp', 'zln'],
    run: (call) => {
      for (const field of call.args) call.evaluate(field, 'text')
      return call.run([literal('mv'), ...call.options.operands], { possible: true })
    },
    examples: [["zmv 'a*' '$(rm -rf /)'", MAY, 'fs.delete?@workspace', 'fs.write?@workspace']],
  },
  {
    names: ['zargs'],
    run: (call) => {
      const end = call.args.findLastIndex((field) => textOf(field) === '--')
      const given = call.args.slice(0, Math.max(end, 0)).filter((field) => !visible(field).startsWith('-'))
      return end < 0 ? EMPTY : call.run([...call.args.slice(end + 1), ...given])
    },
    examples: [['zargs -- / -- rm -rf', ROOT]],
  },
  {
    names: ['zstyle'],
    values: ['-e'],
    run: (call) => {
      if (call.options.has('-e')) call.shell(joined(call.options.operands.slice(1)), later)
      return EMPTY
    },
    examples: [
      ["zstyle -e ':x' y 'rm -rf /'", MAY],
      ["zstyle -e ':x' y 'ls /'", 'fs.list?@root'],
      ["zstyle ':completion:*' menu select"],
    ],
  },
  {
    names: ['abbr'],
    run: (call) => call.shell(joined(call.options.operands.slice(1)), later),
    examples: [
      ["abbr -a x 'rm -rf /'", MAY],
      ["abbr -a x 'ls /'", 'fs.list?@root'],
    ],
  },
  {
    names: ['ztcp', 'zsocket'],
    run: (call) => {
      const [host, port] = call.options.operands
      if (host !== undefined)
        call.send(call.hosts([literal(`${visible(host)}${port ? `:${visible(port)}` : ''}`)]), EMPTY)
      return EMPTY
    },
    examples: [['ztcp x.example 80', 'net.send']],
  },
]
