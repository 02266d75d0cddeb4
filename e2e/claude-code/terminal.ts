import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { startMockApi, type ApiRequest, type Turn } from './mock-anthropic.ts'
import { clientEntry, clientEnv, MAIN_OPENING } from './run-client.ts'
import type { Stage } from './stage.ts'

/** The real client in a terminal, with a person's hands at it. */
export interface Terminal {
  /** Waits until the client has shown something since the last key. @throws Error when it does not, with what it shows */
  shows(text: RegExp): Promise<void>
  /** Presses keys, once what was awaited is on the screen. */
  press(keys: string): Promise<void>
  /** Writes a line and sends it off. */
  says(line: string): Promise<void>
  /** Everything that the client has shown so far, as words; some spaces between them are lost. */
  everShown(): string
  /** What reached the model. */
  readonly requests: readonly ApiRequest[]
  /** Leaves the client as a person does, and waits until it has gone. */
  leaves(): Promise<void>
}

/** Keys of a terminal. */
export const ESCAPE = '\x1b'
export const DOWN = '\x1b[B'
export const TAB = '\t'
export const DELETE_LINE = '\x15'
const ENTER = '\r'
const INTERRUPT = '\x03'

const LIMIT_MS = 20_000
const LOOK_MS = 50
/** The client takes keys that come with the very frame they answer as part of a paste, or not at all. */
const HAND_MS = 400

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Sequences that move, colour and name; words stay, though not always the spaces between them. */
// oxlint-disable-next-line no-control-regex -- they are what is taken out
const SEQUENCES = /\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b[=>()][0-9A-Za-z]?/g

/** The client's first-run questions are answered in advance. */
const settled = (project: string): string =>
  JSON.stringify({
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['dummy'], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true } },
  })

/**
 * Starts the client in a terminal of 110 columns, with a first prompt and a scripted model; it is gone when the test
 * ends.
 */
export const openTerminal = async (
  { world }: Pick<Stage, 'world'>,
  turns: readonly Turn[],
  prompt = '',
): Promise<Terminal> => {
  const first = `${prompt} ${MAIN_OPENING}`.trim()
  await world.write(`${world.config}/.claude.json`, settled(world.project))
  const api = await startMockApi([{ opensWith: MAIN_OPENING, turns }])
  const child = spawn('script', ['-qefc', `stty cols 110 rows 45; exec ${clientEntry()} '${first}'`, '/dev/null'], {
    cwd: world.project,
    env: { ...clientEnv(world, api.url), TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let gone = false
  const closed = new Promise<void>((resolve) => {
    child.on('close', () => {
      gone = true
      resolve()
    })
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
    api.close()
  })
  let shown = ''
  let from = 0
  child.stdout.on('data', (part: Buffer) => (shown += part.toString('utf8')))
  const screen = (): string => shown.slice(from).replaceAll(SEQUENCES, '')
  const press = async (keys: string): Promise<void> => {
    await pause(HAND_MS)
    from = shown.length
    child.stdin.write(keys)
  }
  return {
    async shows(text) {
      for (const until = performance.now() + LIMIT_MS; !text.test(screen()); await pause(LOOK_MS))
        if (gone || performance.now() > until)
          throw new Error(`The client does not show ${String(text)}, but: ${screen().slice(-2_000)}`)
    },
    press,
    async says(line) {
      await press(line)
      await press(ENTER)
    },
    everShown: () => shown.replaceAll(SEQUENCES, ''),
    requests: api.requests,
    async leaves() {
      await press(INTERRUPT)
      await press(INTERRUPT)
      await closed
    },
  }
}
