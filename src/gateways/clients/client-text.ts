import type { Node } from 'jsonc-parser'
import { canonicalJson } from '../../protocol/canonical-json.ts'
import type { Json } from '../../protocol/json.ts'
import { readServers, valueNodeOf } from './servers.ts'
import type { ServerEntry, StdioServer } from './servers.ts'
import { wrap, wrappedBy } from './wrapping.ts'
import type { CommandLine, Wrapping } from './wrapping.ts'

/** A server's command as its file had it before it was wrapped. */
export type Original = {
  readonly path: readonly string[]
  readonly line: CommandLine
  /** The texts of both values; null: the file had no list of arguments. */
  readonly command: string
  readonly args: string | null
}

/** What became of a server. */
export interface ServerReport {
  readonly name: string
  /** The project that it belongs to, where one file has servers of several. */
  readonly project?: string
  /** `elsewhere`: behind the gateway of another installation, or of another data folder. */
  readonly state: 'wrapped' | 'already-wrapped' | 'elsewhere' | 'unwrapped' | 'not-wrapped' | 'remote' | 'unusable'
  /** Of what stays outside the gateway. */
  readonly why?: string
}

/** A changed text. */
export interface Rewritten {
  readonly text: string
  readonly servers: readonly ServerReport[]
  /** Of all servers that are wrapped in it by an installation. */
  readonly originals: readonly Original[]
}

interface Splice {
  readonly from: number
  readonly to: number
  readonly instead: string
}

const end = ({ offset, length }: Node): number => offset + length

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

/** Text of a string; both JSON and TOML read it. */
const written = (text: string): string => JSON.stringify(text).replaceAll('\u007F', String.raw`\u007f`)

const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? ''

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** A list on as many lines as the one in its place. */
const writtenList = (text: string, place: Node | undefined, values: readonly string[]): string => {
  const first = place?.children?.[0]
  if (place === undefined || first === undefined || !text.slice(place.offset, first.offset).includes('\n'))
    return `[${values.map(written).join(', ')}]`
  const line = `${eolOf(text)}${indentAt(text, first.offset)}`
  return `[${line}${values.map(written).join(`,${line}`)}${eolOf(text)}${indentAt(text, place.offset)}]`
}

const raw = (text: string, node: Node): string => text.slice(node.offset, end(node))

/** What separates a member from the next: a line break where members have lines of their own. */
const separator = (text: string, member: Node, isBraced: boolean): string => {
  const indent = indentAt(text, member.offset)
  const isOwnLine = text.lastIndexOf('\n', member.offset - 1) + 1 + indent.length === member.offset
  return isOwnLine ? `${isBraced ? ',' : ''}${eolOf(text)}${indent}` : ', '
}

const argsMember = (text: string, { commandAt, isBraced }: StdioServer, list: string, isToml: boolean): string => {
  // A dotted key of TOML, `server.command`, begins with the names before it.
  const key = commandAt.children?.[0] ?? commandAt
  const prefix = text.slice(commandAt.offset, key.offset)
  return `${prefix}${isToml ? 'args = ' : '"args": '}${list}${separator(text, commandAt, isBraced)}`
}

const setLine = (text: string, server: StdioServer, [command, ...args]: CommandLine, isToml: boolean): Splice[] => {
  const { commandAt, argsAt } = server
  const [commandNode, argsNode] = [valueNodeOf(commandAt), argsAt === undefined ? undefined : valueNodeOf(argsAt)]
  const list = writtenList(text, argsNode, args)
  return [
    { from: commandNode.offset, to: end(commandNode), instead: written(command) },
    argsNode === undefined
      ? { from: commandAt.offset, to: commandAt.offset, instead: argsMember(text, server, list, isToml) }
      : { from: argsNode.offset, to: end(argsNode), instead: list },
  ]
}

/** The list of arguments with what separates it from its neighbour, so that nothing is left of it. */
const withoutArgs = (text: string, commandAt: Node, argsAt: Node): Splice => {
  const isBefore = argsAt.offset < commandAt.offset
  const [from, to] = isBefore ? [argsAt.offset, commandAt.offset] : [end(commandAt), end(argsAt)]
  const between = isBefore ? text.slice(end(argsAt), to) : text.slice(from, argsAt.offset)
  const list = valueNodeOf(argsAt)
  return /^[\s,]*$/.test(between) ? { from, to, instead: '' } : { from: list.offset, to: end(list), instead: '[]' }
}

/** Puts back what an installation replaced; without its note, in our own spelling. */
const restore = (
  text: string,
  server: StdioServer,
  inner: CommandLine,
  originals: readonly Original[],
  isToml: boolean,
): Splice[] => {
  const equal = originals.filter(({ line }) => same(line, inner))
  const original = equal.find(({ path }) => same(path, server.path)) ?? equal[0]
  const { commandAt, argsAt } = server
  if (original === undefined || argsAt === undefined) return setLine(text, server, inner, isToml)
  const [commandNode, argsNode] = [valueNodeOf(commandAt), valueNodeOf(argsAt)]
  return [
    { from: commandNode.offset, to: end(commandNode), instead: original.command },
    original.args === null
      ? withoutArgs(text, commandAt, argsAt)
      : { from: argsNode.offset, to: end(argsNode), instead: original.args },
  ]
}

const spliced = (text: string, splices: readonly Splice[]): string => {
  let result = ''
  let at = 0
  for (const { from, to, instead } of splices.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    result += text.slice(at, from) + instead
    at = to
  }
  return result + text.slice(at)
}

const projectOf = ({ path: [first, second] }: ServerEntry): { readonly project?: string } =>
  first === 'projects' && second !== undefined ? { project: second } : {}

const lineOf = ({ command, args }: StdioServer): CommandLine => [command, ...args]

const originalOf = (text: string, { path, commandAt, argsAt, ...server }: StdioServer): Original => ({
  path,
  line: [server.command, ...server.args],
  command: raw(text, valueNodeOf(commandAt)),
  args: argsAt === undefined ? null : raw(text, valueNodeOf(argsAt)),
})

/** A value without the commands of its servers, which alone may differ. */
const withoutCommands = (value: unknown, servers: readonly ServerEntry[]): string => {
  const copy = structuredClone(value) as Json
  for (const { path, kind } of servers) {
    if (kind !== 'stdio') continue
    let at = copy as Record<string, Json>
    for (const name of path) at = at[name] as Record<string, Json>
    delete at['command']
    delete at['args']
  }
  return canonicalJson(copy)
}

/** The host of an address: the rest of it may be a key. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'elsewhere')

type Visit = (server: StdioServer) => {
  readonly state: ServerReport['state']
  /** The command line that it shall have. */
  readonly line?: CommandLine
  readonly splices?: readonly Splice[]
  readonly original?: Original
}

const reported = (entry: ServerEntry, state: ServerReport['state']): ServerReport => ({
  name: entry.name,
  ...projectOf(entry),
  state,
  ...(entry.kind === 'remote' ? { why: hostOf(entry.url) } : entry.kind === 'unusable' ? { why: entry.why } : {}),
})

/** Visits every server, and checks that the changed text has their new commands and is otherwise the same. */
const rewrite = (path: string, text: string, visit: Visit): Rewritten => {
  const before = readServers(path, text)
  const visited = before.servers.map((entry) => ({
    entry,
    visit: entry.kind === 'stdio' ? visit(entry) : { state: entry.kind },
  }))
  const after = spliced(
    text,
    visited.flatMap(({ visit: { splices = [] } }) => splices),
  )
  const now = readServers(path, after)
  const isAsWanted = visited.every(({ entry, visit: { line } }, at) => {
    const server = now.servers[at]
    if (entry.kind !== 'stdio') return server?.kind === entry.kind
    return server?.kind === 'stdio' && same(lineOf(server), line ?? lineOf(entry))
  })
  if (!isAsWanted || withoutCommands(before.value, before.servers) !== withoutCommands(now.value, now.servers))
    throw new Error(`${path} could not be changed in place; nothing was written.`)
  return {
    text: after,
    servers: visited.map(({ entry, visit: { state } }) => reported(entry, state)),
    originals: visited.flatMap(({ visit: { original } }) => original ?? []),
  }
}

/**
 * Puts the gateway in the place of every server that a client starts as a program. Only their `command` and `args`
 * change; everything else stays as written.
 * @param originals of servers that were wrapped before
 * @throws SallyportError SP_SETTINGS_BROKEN
 */
export const wrapServers = (
  path: string,
  text: string,
  wrapping: Wrapping,
  originals: readonly Original[] = [],
): Rewritten => {
  const isToml = path.endsWith('.toml')
  const originalBehind = (server: StdioServer, inner: CommandLine): Original => {
    const equal = originals.filter(({ line }) => same(line, inner))
    const [command, ...args] = inner
    return (
      equal.find((one) => same(one.path, server.path)) ??
      equal[0] ?? { path: server.path, line: inner, command: written(command), args: writtenList('', undefined, args) }
    )
  }
  return rewrite(path, text, (server) => {
    const own = lineOf(server)
    const found = wrappedBy(wrapping, own)
    if (found.by === 'hand') return { state: 'already-wrapped' }
    if (found.by === 'install' && found.isCurrent)
      return { state: 'already-wrapped', original: originalBehind(server, found.inner) }
    const inner = found.by === 'install' ? found.inner : own
    const original = found.by === 'install' ? originalBehind(server, inner) : originalOf(text, server)
    const line = wrap(wrapping, server.name, inner)
    return { state: 'wrapped', line, splices: setLine(text, server, line, isToml), original }
  })
}

/**
 * Takes the gateway out of every server that an installation wrapped.
 * @throws SallyportError SP_SETTINGS_BROKEN
 */
export const unwrapServers = (
  path: string,
  text: string,
  wrapping: Wrapping,
  originals: readonly Original[],
): Rewritten =>
  rewrite(path, text, (server) => {
    const found = wrappedBy(wrapping, lineOf(server))
    if (found.by === 'hand') return { state: 'already-wrapped' }
    if (found.by === 'nobody') return { state: 'not-wrapped' }
    const { inner } = found
    return {
      state: 'unwrapped',
      line: inner,
      splices: restore(text, server, inner, originals, path.endsWith('.toml')),
    }
  })

/** How the servers of a file are started now. @throws SallyportError SP_SETTINGS_BROKEN */
export const serverStates = (path: string, text: string, wrapping: Wrapping): readonly ServerReport[] =>
  readServers(path, text).servers.map((entry) => {
    if (entry.kind !== 'stdio') return reported(entry, entry.kind)
    const found = wrappedBy(wrapping, lineOf(entry))
    if (found.by === 'nobody') return reported(entry, 'not-wrapped')
    return reported(entry, found.by === 'hand' || found.isCurrent ? 'already-wrapped' : 'elsewhere')
  })
