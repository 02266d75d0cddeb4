import { posix } from 'node:path'
import { type Field, literal, textOf, visible } from '../shell/field.ts'
import { EMPTY, type Value, concat, known, unknown, withFlow } from '../value.ts'
import { assignmentOf } from './builtins.ts'
import type { Call, Language } from './command.ts'
import { runPackageScripts, withLifecycle } from './project-scripts.ts'

/** A shell: its `-c` code, its script, or what it reads. */
export const shell = (call: Call): Value => {
  const [first, ...rest] = call.options.operands
  if (call.network && call.options.has('-i')) call.emit('exec.shell-bridge')
  if (call.options.has('-c')) {
    if (first === undefined) return EMPTY
    const environment = new Map(rest[0] ? [['0', rest[0]] as const] : [])
    return call.shell(first, { forked: true, positional: rest.slice(1), environment })
  }
  for (const file of call.options.get('--rcfile', '--init-file')) call.runFile(file, 'shell', [])
  if (first !== undefined && !call.options.has('-s') && textOf(first) !== '-' && textOf(first) !== '/dev/stdin')
    return call.runFile(first, 'shell', rest)
  if (call.stdin?.flow.network && call.network) call.emit('exec.shell-bridge')
  if (call.stdin === undefined) return EMPTY
  const printed = call.shell(call.stdin, { forked: true, positional: call.options.operands })
  const answers = call.options.has('-i') || call.stdin.texts[0] === ''
  return answers ? withFlow(printed, { processes: ['shell'] }) : printed
}

/** Language of each interpreter. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  python: 'python',
  pypy: 'python',
  ipython: 'python',
  node: 'javascript',
  nodejs: 'javascript',
  bun: 'javascript',
  deno: 'javascript',
  tsx: 'javascript',
  'ts-node': 'javascript',
  perl: 'perl',
  ruby: 'ruby',
  irb: 'ruby',
  php: 'php',
  lua: 'lua',
  luajit: 'lua',
}

const CODE_FLAGS: Readonly<Record<Language, readonly string[]>> = {
  python: ['-c'],
  javascript: ['-e', '--eval', '-p', '--print', '-pe'],
  perl: ['-e', '-E'],
  ruby: ['-e'],
  php: ['-r', '-B', '-R', '-E'],
  lua: ['-e'],
  awk: [],
}

const inlineCode = (call: Call, language: Language): readonly Field[] => {
  const found = call.options.get(...CODE_FLAGS[language])
  return language === 'perl' || language === 'ruby' || found.length < 2 ? found : found.slice(0, 1)
}

/** An interpreter: its inline code, its script, or what it reads. */
export const interpreter = (call: Call): Value => {
  const language = LANGUAGES[call.name] ?? 'javascript'
  for (const module of call.options.get('-r', '--require', '--import'))
    if (language === 'javascript') call.runFile(module, language, [])
  const given = inlineCode(call, language)
  // `-p` prints what the code that follows gives; Perl and Ruby have a flag of that name.
  const printsIt = language === 'javascript' && given.length === 0 && call.options.has('-p')
  const code = printsIt ? call.options.operands.slice(0, 1) : given
  let printed: Value = unknown()
  if (code.length > 0) {
    if (call.options.has('-i') && (language === 'perl' || language === 'ruby'))
      call.write(call.options.operands, undefined)
    else if (call.options.has('-n', '-p') && language !== 'javascript') call.read(call.options.operands)
    for (const text of code) printed = call.code(language, text)
    return printed
  }
  const module = call.options.get('-m')[0]
  if (module !== undefined && language === 'python') return pythonModule(call, visible(module))
  const verb = call.name === 'bun' || call.name === 'deno' ? textOf(call.options.operands[0]) : undefined
  if (verb === 'eval') return call.code(language, call.options.operands[1] ?? EMPTY)
  const skip = verb === 'run' || verb === 'x' ? 1 : 0
  const behind = call.options.operands.slice(skip)
  const flags = skip === 0 ? 0 : behind.findIndex((field) => !visible(field).startsWith('-'))
  const [file, ...rest] = behind.slice(Math.max(flags, 0))
  if (call.name === 'bun' && verb === 'run' && file !== undefined)
    runPackageScripts(call, withLifecycle(visible(file)), rest)
  for (const script of call.options.get('--run')) runPackageScripts(call, [visible(script)], call.options.operands)
  if (call.name === 'bun' && (verb === 'add' || verb === 'install' || verb === 'x' || verb === 'i'))
    call.emit('package.install', [])
  if (file !== undefined && textOf(file) !== '-' && textOf(file) !== '/dev/stdin') {
    if (isGuardProgram(call, file)) return call.run([literal('sallyport'), ...rest])
    const tool = PROJECT_TOOLS[visible(file).replace(/^.*\//, '')]
    if (tool !== undefined) call.run([literal(tool), ...rest])
    return call.runFile(file, language, rest)
  }
  return call.stdin === undefined ? unknown() : call.code(language, call.stdin)
}

/** Whether a path is the guard's own program, so that running it by an interpreter is running the guard's command line. */
const isGuardProgram = (call: Call, file: Field): boolean =>
  /(?:^|\/)sallyport(?:\.[cm]?js)?$|\/sallyport\/(?:[^/]+\/)*(?:cli|bin|main|index)[^/]*$/.test(visible(file)) ||
  // Its package may lie in a folder of any name.
  call.paths([file], 'content').some(({ zone, path }) => zone === 'guard' && /\/cli\/main\.[cm]?[jt]s$/.test(path))

/** Scripts that a framework or a program brings along, by the name under which their verbs are known. */
const PROJECT_TOOLS: Readonly<Record<string, string | undefined>> = {
  'manage.py': 'rake',
  artisan: 'artisan',
  console: 'doctrine',
  'openclaw.mjs': 'openclaw',
}

const pythonModule = (call: Call, module: string): Value => {
  const rest = call.options.operands
  if (module === 'http.server' || module === 'SimpleHTTPServer' || module === 'pyftpdlib') {
    call.emit('net.listen')
    return call.run([literal('http-server'), ...rest])
  }
  if (module === 'pip' || module === 'ensurepip' || module === 'twine' || module === 'uv')
    return call.run([literal(module === 'ensurepip' ? 'pip' : module), ...rest])
  if (module === 'base64')
    return { ...unknown(call.stdin?.flow), flow: { ...(call.stdin?.flow ?? EMPTY.flow), decoded: true } }
  return runLocalModule(call, module, rest)
}

/** A module that lies where the command runs is run like a script. */
const runLocalModule = (call: Call, module: string, rest: readonly Field[]): Value => {
  const { paths, scratch } = call.engine
  for (const folder of call.state.cwds) {
    const base =
      folder === undefined || !/^[\w.]+$/.test(module) ? undefined : posix.join(folder, module.replaceAll('.', '/'))
    const file = [`${base}.py`, `${base}/__main__.py`].find(
      (path) => base !== undefined && (scratch.files.has(path) || paths.world.pathKind(path) === 'file'),
    )
    if (file !== undefined) call.runFile(literal(file), 'python', rest)
  }
  return unknown()
}

/** awk: its program may run commands and write files. */
export const awk = (call: Call): Value => {
  const files = call.options.get('-f', '--file')
  const script = files.length > 0 ? undefined : call.options.operands[0]
  const operands = files.length > 0 ? call.options.operands : call.options.operands.slice(1)
  for (const file of files) call.runFile(file, 'awk', [])
  const content =
    operands.length > 0
      ? call.read(operands.filter((field) => assignmentOf(field) === undefined))
      : (call.stdin ?? unknown())
  if (script !== undefined) {
    const text = textOf(script)
    if (text === undefined) call.unresolved(script.raw)
    else {
      if (/\bsystem\s*\(/.test(text)) call.code('awk', known(text))
      for (const match of text.matchAll(/"((?:[^"\\]|\\.)*)"\s*\|\s*&?\s*getline|\|\s*&?\s*"((?:[^"\\]|\\.)*)"/g)) {
        const command = match[1] ?? match[2] ?? ''
        if (command.startsWith('/inet')) call.emit('exec.shell-bridge')
        else
          call.shell(
            /^(?:ba|z|da)?sh$/.test(command.trim())
              ? concat(known(`${command} -c `), unknown(content.flow))
              : known(command),
          )
      }
      for (const match of text.matchAll(/>>?\s*"((?:[^"\\]|\\.)+)"/g)) call.write([literal(match[1] ?? '')], undefined)
      if (/\/inet\/(?:tcp|udp)\//.test(text)) call.emit('exec.shell-bridge')
      if (/\bENVIRON\b(?!\s*\[)/.test(text)) call.emit('env.read')
    }
  }
  return unknown(content.flow)
}
