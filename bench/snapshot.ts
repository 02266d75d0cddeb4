import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { explanationOf, refusalOf } from '../src/cli/explain/explanation.ts'
import { readExplainedLine } from '../src/cli/explain/explained-step.ts'
import { createGivenGuard, givenSurface, givenWorld } from '../src/assembly/guard/given-guard.ts'
import type { GivenGuard, GivenContext } from '../src/assembly/guard/given-guard.ts'
import { loadConfig } from '../src/config/load.ts'
import { compileLayers } from '../src/config/policies.ts'
import { readCaseFiles, readPacks, shippedPacks } from '../src/config/policy-files.ts'
import { loadedSqlParser } from '../src/assembly/detection/sql-parser.ts'
import type { Host } from '../src/core/host.ts'
import type { HostPower } from '../src/core/host-power.ts'
import { createClaudeCodeHost } from '../src/hosts/claude-code/host.ts'
import { createOpenClawHost } from '../src/hosts/openclaw/host.ts'
import { CASE_PLACES, readCase } from '../src/policy/case.ts'
import type { Step, Channel, StepKind } from '../src/protocol/step.ts'
import { COMMANDS } from '../src/evidence/effects/dispatch/programs.ts'
import { RUNNERS } from '../src/evidence/effects/commands/runners/runners.ts'
import { FILES, filesWith } from '../src/evidence/effects/fixture.ts'
import { CMDLETS } from '../src/evidence/effects/powershell/cmdlets.ts'
import { OPENCLAW_TOOLS } from '../src/evidence/effects/tools/openclaw/tools.ts'
import type { JsonObject } from '../src/protocol/json.ts'
import type { Bench } from './bench.ts'
import { readRows, readTexts, SLICES } from './evidence/slices.ts'
import { DAILY_WORK } from './redteam/daily-work.ts'
import type { ExplainLine } from './redteam/explain-rows.ts'

const CWD = '/home/user/app'

/** The step that delivers a text of a channel. */
const KINDS: Readonly<Record<Channel, StepKind>> = {
  user: 'userMessage',
  tool: 'toolCallResult',
  memory: 'memoryRetrieval',
  knowledge: 'knowledgeRetrieval',
  agent: 'agentMessage',
}

/** Examples of the tables: commands, PowerShell and the tools of a host. */
const examplesOfCode = (): readonly ExplainLine[] => {
  const place = { cwd: CWD, files: FILES }
  const commands = COMMANDS.flatMap(({ examples }) =>
    examples.map(([command]) => ({ id: `command ${command}`, command, ...place })),
  )
  const runners = RUNNERS.flatMap(({ examples, files = {}, sample }) => {
    const all = filesWith(files)
    const given = [...examples.map(([command]) => command), ...(sample === undefined ? [] : [sample])]
    return given.map((command) => ({
      id: ['command', command, ...Object.keys(files)].join(' '),
      command,
      cwd: CWD,
      files: all,
    }))
  })
  const cmdlets = CMDLETS.flatMap(({ examples }) => examples.map(([command]) => command))
  const tools = OPENCLAW_TOOLS.flatMap(({ names, examples = [] }) =>
    examples.map(([input]) => ({ tool: names[0] ?? '', input })),
  )
  return [
    ...commands,
    ...runners,
    ...cmdlets.map((command) => ({
      id: `cmdlet ${command}`,
      tool: 'PowerShell',
      input: { command },
      ...place,
    })),
    ...tools.map(({ tool, input }) => ({
      id: `tool ${tool} ${JSON.stringify(input)}`,
      host: 'openclaw',
      tool,
      input,
      ...place,
    })),
  ]
}

/** A subject: a step with its environment, or an event that is not decoded to a step. */
type Subject = { readonly id: string } & (
  | { readonly step: Step; readonly given: GivenContext; readonly power?: HostPower }
  | { readonly refused: JsonObject }
)

const subjectOf =
  (hosts: ReadonlyMap<string, Host>) =>
  (line: ExplainLine): Subject => {
    const read = readExplainedLine(line, hosts)
    const { id } = line
    if (read.outcome === 'wrong') return { id, refused: { fault: read.fault } }
    return read.outcome === 'step' ? { id, ...read } : { id, refused: refusalOf(read.code, read.reason) }
  }

/** Policy cases, each with the steps that come before it in a session of their own. */
const policyCases = (): readonly Subject[] =>
  readdirSync(shippedPacks(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readCaseFiles(join(shippedPacks(), name)))
    .flatMap(({ path, read: { text = '' } }) => {
      const read = readCase(text)
      if (read.outcome === 'wrong') throw new Error(`${path}: ${read.why}`)
      const { step, before = [], labels = [], files = {}, env = {} } = read.case
      const world = givenWorld({ home: CASE_PLACES.home, files, env } as Parameters<typeof givenWorld>[0])
      const name = path.slice(shippedPacks().length + 1)
      return [...before, step].map((one, at) => ({
        id: `case ${name} ${at}`,
        step: { ...one, session: { ...one.session, id: `${name} ${one.session.id}` } },
        given: { world, labels, alone: false },
      }))
    })

/** Events of golden folders. */
const goldenEvents = (): readonly ExplainLine[] =>
  ['claude-code', 'openclaw'].flatMap((host) => {
    const folder = join(import.meta.dirname, '../test/golden', host)
    return readdirSync(folder)
      .map((name) => ({ name, path: join(folder, name, 'event.json') }))
      .filter(({ path }) => existsSync(path))
      .flatMap(({ name, path }) => {
        const event = JSON.parse(readFileSync(path, 'utf8')) as ExplainLine
        return { id: `golden ${host} ${name}`, host, event }
      })
  })

const SHELL_SETS = ['dcg-corpus', 'dcg-packs', 'development_shell', 'development_shell2', 'development_redteam']
const TOOL_SETS = ['development_tools', 'development_tools2']

const ROW_MEMBERS = ['command', 'tool', 'input', 'files', 'env', 'session', 'labels']

/** A row's `kind` is its author's word for what it shows, and its folder may be one of Windows. */
const lineOfRow = (row: JsonObject, id: string): ExplainLine => {
  const { cwd } = row
  const members = ROW_MEMBERS.filter((name) => row[name] !== undefined && row[name] !== null)
  const place = typeof cwd === 'string' && cwd.startsWith('/') ? { cwd } : {}
  return { ...Object.fromEntries(members.map((name) => [name, row[name]])), ...place, id }
}

/** Commands, calls and texts of the shared data. */
const sharedRows = (): readonly ExplainLine[] => [
  ...[...SHELL_SETS, ...TOOL_SETS].flatMap((set) =>
    (readRows(set) as readonly JsonObject[]).map((row, at) => lineOfRow(row, `${set} ${at}`)),
  ),
  ...['shell_tldr_benign', 'shell_atomic_red_team', 'shell_dcg'].flatMap((set) =>
    readTexts(set).map(({ text }, at) => ({ id: `${set} as command ${at}`, command: text, cwd: CWD })),
  ),
  ...SLICES.flatMap(({ name, channel }) =>
    readTexts(name).map(({ text }, at) => ({ id: `${name} ${at}`, kind: KINDS[channel], tool: 'Read', text })),
  ),
]

/** All of it, each under an id of its own. */
const subjects = (): readonly Subject[] => {
  const hosts = new Map([createClaudeCodeHost(), createOpenClawHost()].map((host) => [host.id, host]))
  const daily = DAILY_WORK.map((row) => ({ ...row, id: `daily ${row.id}` }))
  const lines = [...examplesOfCode(), ...goldenEvents(), ...daily, ...sharedRows()]
  return [...lines.map(subjectOf(hosts)), ...policyCases()]
}

const createSnapshotGuard = async (): Promise<GivenGuard> => {
  const compiled = compileLayers([readPacks(shippedPacks(), ['baseline', 'cloud'])], CASE_PLACES.home)
  if ('problems' in compiled) throw new Error('the packs do not compile')
  return createGivenGuard({
    config: loadConfig([]),
    policiesFor: () => compiled.set,
    surface: givenSurface('/home/user'),
    sql: await loadedSqlParser(),
  })
}

/** The answer on a subject, in one line. Prints no more than a trace would contain. */
const lineOf = async (guard: GivenGuard, subject: Subject): Promise<string> => {
  const said =
    'refused' in subject
      ? subject.refused
      : explanationOf(await guard.decide(subject.step, subject.given, subject.power))
  return JSON.stringify({ id: subject.id, ...guard.mask(said).value })
}

const linesOf = (path: string): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [(JSON.parse(line) as ExplainLine).id, line]),
  )

const compare = (before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): number => {
  const ids = [...new Set([...before.keys(), ...now.keys()])].filter((id) => before.get(id) !== now.get(id))
  for (const id of ids) {
    console.error(`- ${before.get(id) ?? `no ${id}`}`)
    console.error(`+ ${now.get(id) ?? `no ${id}`}`)
  }
  return ids.length
}

/**
 * Effects, findings and verdict of every example in the code, every case and golden event, and every command and text
 * of the shared data. `--out FILE` writes them, a line each; `--against FILE` prints on standard error what differs
 * from a file written before. For changes of the structure that are not to change what is decided.
 */
export const snapshot: Bench = async () => {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, against: { type: 'string' }, json: { type: 'boolean' } },
    allowPositionals: true,
  })
  const guard = await createSnapshotGuard()
  const now = new Map<string, string>()
  for (const subject of subjects()) now.set(subject.id, await lineOf(guard, subject))
  if (values.out !== undefined) writeFileSync(values.out, [...now.values()].map((line) => `${line}\n`).join(''))
  const figures = { subjects: now.size }
  if (values.against === undefined) return { figures, goals: [] }
  const changed = compare(linesOf(values.against), now)
  return { figures: { ...figures, changed }, goals: [{ figure: 'changed', op: '<=', value: 0 }] }
}
