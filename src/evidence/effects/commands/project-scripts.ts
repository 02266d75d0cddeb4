import { posix } from 'node:path'
import { isObject } from '../../../protocol/json.ts'
import { type Field, literal, textOf, visible } from '../shell/field.ts'
import { type Value, known, unknown } from '../value.ts'
import type { Call } from './command.ts'
import { recipesOf } from './makefile.ts'

const MAX_UP = 6

const scriptsIn = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(text)
    const scripts: unknown = isObject(parsed) ? parsed['scripts'] : undefined
    return isObject(scripts) ? scripts : {}
  } catch {
    return {}
  }
}

/** Whether a file is there, on disk or written by the command itself. */
const isFile = (call: Call, path: string): boolean =>
  call.engine.scratch.files.has(path) || call.engine.paths.world.pathKind(path) === 'file'

/** The nearest `package.json` of a folder, as package managers look for it. */
const manifestOf = (call: Call, folder: string): string | undefined => {
  for (let [at, up] = [folder, 0]; up < MAX_UP; up++) {
    const file = posix.join(at, 'package.json')
    if (isFile(call, file)) return file
    const next = posix.dirname(at)
    if (next === at) return undefined
    at = next
  }
  return undefined
}

/** Runs scripts of the project's `package.json` by name, in order; those it does not have are passed over. */
export const runPackageScripts = (call: Call, names: readonly string[], args: readonly Field[] = []): Value => {
  if (call.options.has('--ignore-scripts')) return unknown()
  const [given] = call.options.get('--prefix', '-C', '--dir', '--cwd')
  const folders = given ? call.paths([given], 'content').map((one) => one.path) : call.state.cwds
  for (const folder of folders) {
    const file = folder === undefined ? undefined : manifestOf(call, folder)
    if (file === undefined) continue
    call.runFileCode(file, names.join(), posix.dirname(file), args, (text) => {
      const scripts = scriptsIn(text)
      return names.flatMap((name) => {
        const code = Object.hasOwn(scripts, name) ? scripts[name] : undefined
        if (typeof code !== 'string') return []
        return [args.length > 0 && !/^(?:pre|post)/.test(name) ? `${code} "$@"` : code]
      })
    })
  }
  return unknown()
}

/** A script with what goes before and after it. */
export const withLifecycle = (name: string): readonly string[] => [`pre${name}`, name, `post${name}`]

/** What a bare install of a project runs of its own. */
export const INSTALL_SCRIPTS: readonly string[] = ['preinstall', 'install', 'postinstall', 'prepare']

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile']

const INCLUDE = /^[ \t]*[-s]?include[ \t]+([^\n#]+)/gm
/** Levels of makefiles that include each other. */
const MOST_INCLUDED = 8

/** A makefile with those that it includes by their names; a pattern stands for the files of its folder that fit. */
const withIncludes = (call: Call, text: string, folder: string, level = 0): string =>
  level >= MOST_INCLUDED
    ? text
    : text.replace(INCLUDE, (line: string, names: string) => {
        const files = call.paths(
          names
            .replace(/\$\(wildcard\s+([^)]*)\)/g, '$1')
            .trim()
            .split(/\s+/)
            .map((name) => ({ ...literal(posix.resolve(folder, name)), glob: true })),
          'content',
        )
        const texts = files.flatMap(({ path, zone }) => {
          const written = call.engine.scratch.files.get(path)
          const found =
            written === undefined ? (zone === 'system' ? null : call.engine.paths.world.read(path)) : textOf(written)
          return typeof found === 'string' && call.engine.spendFile(found.length)
            ? [withIncludes(call, found, folder, level + 1)]
            : []
        })
        return texts.length === 0 ? line : texts.join('\n')
      })

/** Runs the recipes of the targets that make is asked for. */
export const runMake = (call: Call): Value => {
  const [folder] = call.options.get('-C', '--directory')
  const folders = folder ? call.paths([folder], 'content').map((one) => one.path) : call.state.cwds
  const pairs = call.args.flatMap((field) => {
    const [, name, value] = /^(\w+)[:?+]?=(.*)$/s.exec(visible(field)) ?? []
    return name === undefined ? [] : [[name, value ?? ''] as const]
  })
  const targets = call.options.operands.flatMap((field) => textOf(field) ?? []).filter((text) => !text.includes('='))
  const given = new Map(pairs)
  const piped = call.options.get('-f', '--file', '--makefile').some((field) => textOf(field) === '-')
  for (const text of piped ? (call.stdin?.texts ?? []) : [])
    for (const code of recipesOf(text, targets, given)) call.shell(known(code), { forked: true })
  for (const at of folders) {
    if (at === undefined || piped) continue
    const named = call.options.get('-f', '--file', '--makefile').map((field) => posix.resolve(at, visible(field)))
    const files = named.length > 0 ? named : MAKEFILES.map((name) => posix.join(at, name))
    const file = files.find((path) => isFile(call, path))
    if (file === undefined) continue
    call.runFileCode(file, targets.join(' '), at, [], (text) => recipesOf(withIncludes(call, text, at), targets, given))
  }
  return unknown()
}

/** The script that a package manager's own verb stands for. */
export const scriptName = (verb: string): string => (/^t(?:st)?$/.test(verb) ? 'test' : verb)

/** The arguments of a script, without the `--` before them. */
export const scriptArguments = (rest: readonly Field[]): readonly Field[] =>
  rest.filter((field) => textOf(field) !== '--')
