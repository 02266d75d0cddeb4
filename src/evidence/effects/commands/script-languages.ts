import type { EffectTrait } from '../../../protocol/evidence.ts'
import { literal, textOf, visible } from '../shell/field.ts'
import { type Value, known, unknown } from '../value.ts'
import type { Call, CommandRow, Example } from './command.ts'

/**
 * Calls that run a command, in languages whose code is not read further: what stands in the quotes is shell code. Two
 * parts are a program and its arguments.
 */
const RUNS: readonly RegExp[] = [
  /\b(?:system2?|shell|shell-command|shell_exec|popen|execute|os:cmd|callCommand|run-program|rawSystem|getRuntime\(\)\.exec|sh)\s*\(?\s*"((?:[^"\\]|\\.)*)"/g,
  /"((?:[^"\\]|\\.)*)"\s*\.\s*(?:execute\(\)|!!?)/g,
  /\brun\(\s*`([^`]*)`/g,
  /\b(?:System\.cmd|call-process|process\.run)\(?\s*"([^"]+)"\s*,?\s*\[?([^\])]*)/g,
  /\b(?:exec|spawn|system)\s+([^\]\n;"$(]+)/g,
  /^\s*(?:shell|!)\s*(.+)$/gm,
]

/** Calls that delete what stands in the quotes. */
const DELETES =
  /\b(?:unlink|file\.remove|file_delete|rm_rf!?|rm!?|rmtree|remove_tree|delete-directory|delete-file|removeDirectoryRecursive|removeFile|deleteDir|rmdir|file\s+delete(?:\s+-force)?)\s*\(?\s*["{]?([~/.\w][^"\s,;)}\]]*)["}]?([^;\n]*)/g

const unquoted = (text: string): string => text.replace(/\\(.)/g, '$1')

/** Looks code through for the commands it runs and the paths it deletes. */
export const readQuoted = (call: Call, code: string): void => {
  if (!call.engine.spendText(code)) return
  for (const pattern of RUNS)
    for (const [, first = '', more = ''] of code.matchAll(pattern)) {
      const rest = more.replace(/["',]+/g, ' ')
      call.shell(known(unquoted(`${first} ${rest}`).trim()), { forked: true })
    }
  for (const [whole, path = '', rest = ''] of code.matchAll(DELETES)) {
    const tree = /rm_rf|tree|Recursive|directory|deleteDir|-force/i.test(whole) || /recursive|\bt\b/i.test(rest)
    const traits: readonly EffectTrait[] = tree ? ['recursive', 'inline-code'] : ['inline-code']
    call.remove([literal(path.replace(/^~(?=\/|$)/, call.engine.paths.home))], { traits })
  }
}

/** A language by the programs that run it and the options that take its code. */
interface LanguageRow {
  readonly names: readonly string[]
  readonly options: readonly string[]
  readonly values?: readonly string[]
  readonly dash?: 'single'
  readonly examples: readonly Example[]
}

const ROOT = 'fs.delete+recursive+force@root'
const ETC = 'fs.delete+recursive+inline-code@system'

const ROWS: readonly LanguageRow[] = [
  {
    names: ['Rscript', 'R', 'littler'],
    options: ['-e'],
    examples: [
      ['Rscript -e \'system("rm -rf /")\'', ROOT],
      ['Rscript -e \'unlink("/etc", recursive = TRUE)\'', ETC],
      ["Rscript -e 'print(1)'"],
      ['Rscript a.R', 'exec.run+script@workspace'],
    ],
  },
  {
    names: ['julia'],
    options: ['-e', '-E', '--eval'],
    examples: [
      ["julia -e 'run(`rm -rf /`)'", ROOT],
      ['julia -e \'rm("/etc", recursive=true)\'', ETC],
    ],
  },
  {
    names: ['tclsh', 'wish', 'expect'],
    options: ['-c'],
    examples: [
      ["tclsh <<< 'exec rm -rf /'", ROOT],
      ["expect -c 'spawn rm -rf /; interact'", ROOT],
    ],
  },
  {
    names: ['groovy', 'scala', 'kotlin', 'kotlinc', 'jshell', 'jrunscript', 'clojure', 'clj', 'bb'],
    options: ['-e', '-s'],
    examples: [
      ['groovy -e \'"rm -rf /".execute()\'', ROOT],
      ['jshell <<< \'Runtime.getRuntime().exec("rm -rf /")\'', ROOT],
    ],
  },
  {
    names: ['erl', 'escript'],
    options: ['-eval', '-s'],
    dash: 'single',
    examples: [['erl -noshell -eval \'os:cmd("rm -rf /")\'', ROOT]],
  },
  {
    names: ['elixir', 'iex'],
    options: ['-e', '--eval', '--rpc-eval'],
    examples: [
      ['elixir -e \'System.cmd("rm", ["-rf", "/"])\'', ROOT],
      ['elixir -e \'File.rm_rf!("/etc")\'', ETC],
    ],
  },
  {
    names: ['ghc', 'runghc', 'ghci', 'racket', 'guile', 'sbcl', 'nim', 'swift', 'crystal', 'octave', 'gnuplot'],
    options: ['-e', '--eval', '-c'],
    examples: [['racket -e \'(system "rm -rf /")\'', ROOT], ["octave --eval 'x = 1'"]],
  },
  {
    names: ['gdb', 'lldb'],
    options: ['-ex', '-eval-command', '-o', '-iex'],
    dash: 'single',
    examples: [["gdb -batch -ex 'shell rm -rf /'", ROOT], ['gdb -batch -ex bt a.out core']],
  },
]

const SOURCE = /\.(?:[rR]|jl|tcl|exp|groovy|scala|kts?|clj|erl|exs?|hs|rkt|scm|lisp|nim|swift|cr|m)$/

const interpret = (row: LanguageRow, call: Call): Value => {
  const codes = call.options.get(...row.options)
  for (const code of codes) {
    const text = textOf(code)
    if (text === undefined) call.unresolved(code.raw)
    else readQuoted(call, text)
  }
  const [file] = call.options.operands
  if (codes.length === 0 && file !== undefined && SOURCE.test(visible(file))) call.runFile(file, 'unknown', [])
  else if (codes.length === 0 && call.stdin !== undefined) {
    if (call.stdin.flow.network) call.emit('exec.remote', [{ type: 'command', name: call.name }])
    if (call.stdin.flow.decoded) call.emit('exec.decoded', [{ type: 'command', name: call.name }])
    for (const text of call.stdin.texts) readQuoted(call, text)
  }
  return unknown()
}

/** Interpreters whose code is looked through for the commands it runs and the paths it deletes. */
export const SCRIPT_LANGUAGE_COMMANDS: readonly CommandRow[] = ROWS.map((row) => ({
  names: row.names,
  values: [...row.options, ...(row.values ?? [])],
  ...(row.dash ? { dash: row.dash } : {}),
  run: (call) => interpret(row, call),
  examples: row.examples,
}))
