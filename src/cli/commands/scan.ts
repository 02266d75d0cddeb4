import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { TextFinding, TextScanner } from '../../config/text-scan.ts'
import { SallyportError } from '../../errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { CHANNELS } from '../../protocol/step.ts'
import type { Channel } from '../../protocol/step.ts'
import type { Command, ExitCode, Io } from '../io.ts'
import { answerLines } from '../json-lines.ts'
import type { LineResult } from '../json-lines.ts'
import { counted, visible } from '../trace-view.ts'

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

const isChannel = (value: unknown): value is Channel => (CHANNELS as readonly unknown[]).includes(value)

/** Text of unknown origin is as a tool brought it. */
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

/** Line and column, from 1, of each finding; they come sorted by where they start. */
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

/** All detectors; loaded only where they are needed, because a commit waits for `--staged`. */
const scannerFor = async (io: Io): Promise<TextScanner> => {
  const [{ createTextScanner }, { loadedSqlParser }, { writtenConfig }] = await Promise.all([
    import('../../config/text-scan.ts'),
    import('../../config/sql-parser.ts'),
    import('../written-config.ts'),
  ])
  return createTextScanner(writtenConfig(io), await loadedSqlParser())
}

/** `sallyport scan`. */
export const scan: Command = {
  name: 'scan',
  summary: 'find secrets, personal data and hostile text in files or standard input',
  usage: USAGE,
  async run(args, io) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        jsonl: { type: 'boolean', default: false },
        staged: { type: 'boolean', default: false },
        channel: { type: 'string', default: DEFAULT_CHANNEL },
      },
    })
    if (!isChannel(values.channel)) throw misuse(`--channel is one of ${CHANNELS.join(', ')}.`)
    if ((values.jsonl || values.staged) && positionals.length > 0)
      throw misuse(`--${values.jsonl ? 'jsonl reads standard input' : 'staged asks git'} and takes no files.`)
    if (values.staged) return (await import('../scan-staged.ts')).scanStaged(io)
    const scanner = await scannerFor(io)
    if (values.jsonl) return answerLines(io, scanLine(scanner, values.channel))
    return scanFiles(positionals, scanner, values.channel, io)
  },
}
