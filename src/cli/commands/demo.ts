import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { startGuard } from '../serve/start-guard.ts'
import type { RunningGuard } from '../serve/start-guard.ts'
import type { Outcome } from '../../core/guard.ts'
import { isObject } from '../../protocol/json.ts'
import type { Command, Io } from '../io/io.ts'

const USAGE = `Usage: sallyport demo [--exit]

Starts a guard on a temporary store, plays a recorded Claude Code session through its HTTP endpoint and prints each
decision with its reason. Nothing from the session is executed. The guard keeps running until Ctrl-C.

  --exit   stop when the session has been played`

/** The session is beside the sources and in the published package. */
const SESSION = new URL('../../../examples/claude-code-session.jsonl', import.meta.url)

/** Live-looking keys are in no file; they are assembled here. */
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

const COLUMN = 16
const SUBJECT_WIDTH = 90
const LIVE_KEY = /AKIA\w+/g

const lookNext = (session: string, data: string): readonly string[] => [
  '\nNext steps:',
  `  npm run -s sallyport -- trace show ${session} --data ${data}`,
  `  npm run -s sallyport -- trace verify --data ${data}`,
  '  npm run -s sallyport -- policy show                 the rules that decided',
  '  npm run -s sallyport -- install claude-code         install the guard in your Claude Code',
]

const paint = (io: Io, style: Parameters<typeof styleText>[0], words: string): string =>
  io.isTty ? styleText(style, words, { validateStream: false }) : words

const STYLES = { allow: 'green', modify: 'yellow', ask: 'yellow', defer: 'yellow', deny: 'red' } as const

const show = ({ verdict, step }: Outcome, subject: string, io: Io): void => {
  const { decision, reason } = verdict
  io.out(`${paint(io, STYLES[decision], decision.padEnd(7))} ${step.event.padEnd(COLUMN)} ${subject}`)
  if (reason !== '') io.out(`${' '.repeat(8)}${paint(io, 'dim', reason)}`)
}

/** Sends the recorded events as the client would; returns the session's id. */
const play = async (
  running: RunningGuard,
  decided: () => Outcome | undefined,
  project: string,
  io: Io,
): Promise<string> => {
  const lines = (await readFile(SESSION, 'utf8')).split('\n').filter((line) => line !== '')
  let session = ''
  for (const line of lines) {
    const event: unknown = JSON.parse(filled(line, project, io.home))
    if (!isObject(event)) continue
    await fetch(`${running.url}/v1/hooks/claude-code?event=${text(event['hook_event_name'])}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${running.token}` },
      body: JSON.stringify(event),
    })
    const outcome = decided()
    if (outcome === undefined) throw new Error('the guard gave no decision')
    session = outcome.step.session.id
    show(outcome, about(event).replaceAll(LIVE_KEY, '[a live key]').slice(0, SUBJECT_WIDTH), io)
  }
  return session
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
  summary: 'start a temporary guard and play a recorded session through it',
  usage: USAGE,
  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options: { exit: { type: 'boolean', default: false } } })
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-demo-'))
    const data = join(folder, 'data')
    let last: Outcome | undefined
    const running = await startGuard({
      data,
      env: { SALLYPORT_CONFIG_HOME: join(folder, 'config') },
      home: io.home,
      port: 0,
      log: () => {},
      decided: (outcome) => {
        last = outcome
      },
    })
    try {
      io.out(
        `The guard is running at ${running.url}. A recorded Claude Code session goes through it; nothing is executed.\n`,
      )
      const session = await play(running, () => last, join(io.home, 'work', 'shop'), io)
      for (const line of lookNext(session, data)) io.out(line)
      if (values.exit) return 0
      io.out('\nThe guard keeps running until Ctrl-C.')
      await waited(io.signal)
      return 0
    } finally {
      await running.stop()
      if (!values.exit) await rm(folder, { recursive: true, force: true })
    }
  },
}
