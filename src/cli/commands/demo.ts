import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { startGuard } from '../../config/start-guard.ts'
import type { RunningGuard } from '../../config/start-guard.ts'
import { isObject } from '../../protocol/json.ts'
import type { Command, Io } from '../io.ts'

const USAGE = `Usage: sallyport demo [--exit]

Starts a guard on a temporary store, plays a recorded Claude Code session through its HTTP endpoint and prints each
decision with its reason. Nothing of the session is run. Stays up for a look around until Ctrl-C.

  --exit   stop when the session has been played`

/** The session stands beside the sources and in the published package. */
const SESSION = new URL('../../../examples/claude-code-session.jsonl', import.meta.url)

/** Live-looking keys stand in no file; they are put together here. */
const filled = (line: string, project: string, home: string): string =>
  line
    .replaceAll('{{project}}', project)
    .replaceAll('{{home}}', home)
    .replaceAll('{{aws-key}}', ['AKIA', 'QYLPMN5HFIQR7XYA'].join(''))

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const about = (event: Readonly<Record<string, unknown>>): string => {
  const input = isObject(event['tool_input']) ? event['tool_input'] : {}
  const tool = text(event['tool_name'])
  const subject = text(input['command']) || text(input['file_path']) || text(input['url']) || text(event['prompt'])
  return [tool, subject].filter((part) => part !== '').join(': ')
}

const COLUMN = 18

const paint = (io: Io, style: Parameters<typeof styleText>[0], words: string): string =>
  io.isTty ? styleText(style, words, { validateStream: false }) : words

const STYLES = { allow: 'green', modify: 'yellow', ask: 'yellow', defer: 'yellow', deny: 'red' } as const

const play = async (running: RunningGuard, project: string, io: Io): Promise<void> => {
  const lines = (await readFile(SESSION, 'utf8')).split('\n').filter((line) => line !== '')
  for (const line of lines) {
    const event: unknown = JSON.parse(filled(line, project, io.home))
    if (!isObject(event)) continue
    const name = text(event['hook_event_name'])
    const before = running.lastDecision()
    await fetch(`${running.url}/v1/hooks/claude-code?event=${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${running.token}` },
      body: JSON.stringify(event),
    })
    const outcome = running.lastDecision()
    if (outcome === undefined || outcome === before) continue
    const { decision, reason } = outcome.verdict
    const shown = about(event).replaceAll(/AKIA\w+/g, '[a live key]').slice(0, 90)
    io.out(`${paint(io, STYLES[decision], decision.padEnd(7))} ${name.padEnd(COLUMN)} ${shown}`)
    if (reason !== '') io.out(`${' '.repeat(8)}${paint(io, 'dim', reason)}`)
  }
}

const waited = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve()
    })
    if (signal.aborted) resolve()
  })

/** `sallyport demo`, which is what `npm start` runs. */
export const demo: Command = {
  name: 'demo',
  summary: 'start a guard for a look, and play a recorded session through it',
  usage: USAGE,
  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options: { exit: { type: 'boolean', default: false } } })
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-demo-'))
    const data = join(folder, 'data')
    const running = await startGuard({ data, env: {}, home: io.home, port: 0, log: () => {}, project: false })
    try {
      io.out(`The guard is up at ${running.url}. A recorded Claude Code session goes through it; nothing of it is run.\n`)
      await play(running, join(io.home, 'work', 'shop'), io)
      io.out('\nLook next:')
      io.out(`  npm run -s sallyport -- trace show ${running.lastDecision()?.step.session.id ?? ''} --data ${data}`)
      io.out(`  npm run -s sallyport -- trace verify --data ${data}`)
      io.out('  npm run -s sallyport -- install claude-code      put the guard into your Claude Code')
      io.out('  npm run -s sallyport -- policy show              the rules that decided')
      if (values.exit) return 0
      io.out('\nThe guard stays up until Ctrl-C.')
      await waited(io.signal)
      return 0
    } finally {
      await running.stop()
      if (!values.exit) await rm(folder, { recursive: true, force: true })
    }
  },
}
