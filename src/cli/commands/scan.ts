import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readArguments } from '../io/arguments.ts'
import type { TextFinding, TextScanner } from '../../assembly/detection/text-scan.ts'
import { SallyportError } from '../../errors/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { CHANNELS, isChannel } from '../../protocol/step.ts'
import type { Channel } from '../../protocol/step.ts'
import type { Command, ExitCode, Io } from '../io/io.ts'
import { answerLines } from '../io/json-lines.ts'
import type { LineResult } from '../io/json-lines.ts'
import { counted, visible } from '../views/trace-view.ts'
import { createSecretScan } from '../../assembly/detection/secret-scan.ts'
import { addedLines } from '../../hosts/git/added-lines.ts'
import type { AddedText } from '../../hosts/git/added-lines.ts'
import { stagedDiff } from '../../hosts/git/git.ts'

type SecretScan = ReturnType<typeof createSecretScan>

/** `file:line:column type severity` of each secret. Offsets come in order, so lines are counted once. */
const placesIn = ({ path, text, lines }: AddedText, scan: SecretScan): readonly string[] => {
  let index = 0
  let lineStart = 0
  return scan(text).map(({ start, type, severity }) => {
    for (let at = text.indexOf('\n', lineStart); at !== -1 && at < start; at = text.indexOf('\n', lineStart)) {
      index++
      lineStart = at + 1
    }
    return `${visible(path)}:${lines[index] ?? 0}:${start - lineStart + 1} secret:${type} ${severity}`
  })
}

/** Scans the lines that the next commit would add; 1 when one of them contains a secret. */
const scanStaged = async (io: Io): Promise<ExitCode> => {
  const scan = createSecretScan()
  const places: string[] = []
  for await (const added of addedLines(stagedDiff(io))) places.push(...placesIn(added, scan))
  for (const place of places) io.out(place)
  if (places.length === 0) return 0
  io.err(
    `sallyport: ${counted(places.length, 'secret')} in the staged changes. Remove ${places.length === 1 ? 'it' : 'them'}, ` +
      'and revoke secrets that were ever pushed. `git commit --no-verify` commits anyway.',
  )
  return 1
}

const USAGE = `Usage: sallyport scan [--channel CHANNEL] [FILE...]
       sallyport scan --jsonl < in > out
       sallyport scan --staged

Runs all detectors on texts and prints where something was found, never what. Nothing leaves the machine.

  FILE...            files to scan; standard input by default, or for -
  --jsonl            one JSON object per line: {"id","text","channel"?} in, {"id","findings":[...],"scores":{...}} out
  --channel CHANNEL  source of the text: user, tool (default), memory, knowledge or agent
  --staged           scan for secrets in the lines that the next commit would add; the hook of \`install git\` runs this

Exit code: 0 nothing found (with --jsonl: every line answered), 1 something found, 2 a line or file could not be read.`

const misuse = (detail: string): SallyportError => new SallyportError('SP_USAGE', { detail, command: 'scan' })

/** The default for text of unknown origin: output of a tool. */
const DEFAULT_CHANNEL: Channel = 'tool'

const scanLine =
  (scanner: TextScanner, fallback: Channel) =>
  async (line: JsonObject): Promise<LineResult> => {
    const { text, channel = fallback } = line
    if (typeof text !== 'string') return { fault: 'text must be text' }
    if (!isChannel(channel)) return { fault: `channel must be one of ${CHANNELS.join(', ')}` }
    const { findings, scores, exhausted } = scanner.scan(text, channel)
    return {
      value: { findings: findings.map((finding) => ({ ...finding })), scores, ...(exhausted ? { exhausted } : {}) },
    }
  }

/** Line and column, from 1, of each finding, sorted by start. */
const placed = (text: string, findings: readonly TextFinding[]): readonly string[] => {
  let line = 1
  let lineStart = 0
  return findings.map(({ start, category, type, severity }) => {
    for (let at = text.indexOf('\n', lineStart); at !== -1 && at < start; at = text.indexOf('\n', lineStart)) {
      line++
      lineStart = at + 1
    }
    return `${line}:${start - lineStart + 1} ${category}:${type} ${severity}`
  })
}

const readTexts = async function* (names: readonly string[], io: Io): AsyncIterable<readonly [string, string]> {
  for (const name of names.length === 0 ? ['-'] : names) {
    if (name === '-') yield ['stdin', await io.stdin()]
    else
      try {
        yield [name, readFileSync(resolve(io.cwd, name), 'utf8')]
      } catch (error) {
        throw misuse(
          `${visible(name)} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}).`,
        )
      }
  }
}

const scanFiles = async (
  names: readonly string[],
  scanner: TextScanner,
  channel: Channel,
  io: Io,
): Promise<ExitCode> => {
  let found = 0
  for await (const [name, text] of readTexts(names, io)) {
    const { findings, exhausted } = scanner.scan(text, channel)
    found += findings.length
    for (const place of placed(text, findings)) io.out(`${visible(name)}:${place}`)
    if (exhausted) io.err(`${visible(name)}: longer than budget.textBytes; only its beginning was scanned.`)
  }
  io.err(counted(found, 'finding'))
  return found === 0 ? 0 : 1
}

/** All detectors; loaded on demand, because a commit waits for `--staged`. */
const scannerFor = async (io: Io): Promise<TextScanner> => {
  const [{ createTextScanner }, { loadedSqlParser }, { writtenConfig }] = await Promise.all([
    import('../../assembly/detection/text-scan.ts'),
    import('../../assembly/detection/sql-parser.ts'),
    import('../io/written-config.ts'),
  ])
  return createTextScanner(writtenConfig(io), await loadedSqlParser())
}

/** `sallyport scan`. */
export const scan: Command = {
  name: 'scan',
  summary: 'find secrets, personal data and hostile text in files or standard input',
  usage: USAGE,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {
      jsonl: { type: 'boolean', default: false },
      staged: { type: 'boolean', default: false },
      channel: { type: 'string', default: DEFAULT_CHANNEL },
    })
    if (!isChannel(values.channel)) throw misuse(`--channel is one of ${CHANNELS.join(', ')}.`)
    if ((values.jsonl || values.staged) && positionals.length > 0)
      throw misuse(`--${values.jsonl ? 'jsonl reads standard input' : 'staged asks git'} and takes no files.`)
    if (values.staged) return scanStaged(io)
    const scanner = await scannerFor(io)
    if (values.jsonl) return answerLines(io, scanLine(scanner, values.channel))
    return scanFiles(positionals, scanner, values.channel, io)
  },
}
