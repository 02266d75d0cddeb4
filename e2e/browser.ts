import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

/** Debian's Chromium without a window, driven by its own protocol, with an authenticator that is not a thing. */
export interface Browser {
  /** Opens an address in a page with a virtual authenticator; `verified` when its person can be verified. */
  open(url: string, verified?: boolean): Promise<Page>
}

/** A page of it. */
export interface Page {
  /** The value of a script in the page; it counts as an action of the person. */
  evaluate(script: string): Promise<unknown>
  /** Waits until the page shows a text. @throws Error with what it shows when it does not */
  shows(text: RegExp): Promise<void>
  /** Clicks the button with this text. */
  click(text: string): Promise<void>
  /** Goes to another address, in the same page with the same authenticator. */
  goes(url: string): Promise<void>
  /** Every address that it has asked for. */
  readonly asked: readonly string[]
  /** Errors and refusals in its console. */
  readonly complaints: readonly string[]
  screenshot(path: string): Promise<void>
}

/** Whether there is one. */
export const hasChromium = spawnSync('chromium', ['--version']).error === undefined
if (!hasChromium)
  console.error('!!!!! SKIPPED: chromium is not installed; nothing proves that the page of approvals works !!!!!')

const LIMIT_MS = 30_000
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run']

const MESSAGE = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  sessionId: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
})

type Params = Readonly<Record<string, unknown>>

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** A connection to its protocol: commands with answers, and events. */
const connect = async (url: string) => {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (message: z.infer<typeof MESSAGE>) => void>()
  const listeners: ((message: z.infer<typeof MESSAGE>) => void)[] = []
  let count = 0
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  socket.addEventListener('message', ({ data }) => {
    const message = MESSAGE.parse(JSON.parse(String(data)))
    if (message.id === undefined) for (const listen of listeners) listen(message)
    else waiting.get(message.id)?.(message)
  })
  return {
    listen: (listener: (message: z.infer<typeof MESSAGE>) => void) => listeners.push(listener),
    send: (method: string, params: Params = {}, sessionId?: string): Promise<Params> =>
      new Promise((resolve, reject) => {
        count += 1
        waiting.set(count, ({ result, error }) => {
          if (error === undefined) resolve(result ?? {})
          else reject(new Error(`${method}: ${error.message}`))
        })
        socket.send(JSON.stringify({ id: count, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
      }),
  }
}

const start = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-chromium-'))
  const child = spawn('chromium', [...FLAGS, '--remote-debugging-port=0', `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const gone = new Promise((resolve) => {
    child.on('close', resolve)
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  })
  return new Promise((resolve, reject) => {
    let text = ''
    child.stderr.on('data', (part: Buffer) => {
      text += part.toString('utf8')
      const [, url] = /DevTools listening on (ws:\S+)/.exec(text) ?? []
      if (url !== undefined) resolve(url)
    })
    child.on('error', reject)
    child.on('close', () => reject(new Error(`chromium ended: ${text.slice(-1_000)}`)))
  })
}

/** Starts one; it is gone when the test ends. */
export const startBrowser = async (): Promise<Browser> => {
  const { send, listen } = await connect(await start())
  return {
    async open(url, verified = true) {
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' })
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
      const own = String(sessionId)
      const asked: string[] = []
      const complaints: string[] = []
      listen(({ method, params = {}, sessionId: from }) => {
        if (from !== own) return
        if (method === 'Network.requestWillBeSent')
          asked.push(z.object({ request: z.object({ url: z.string() }) }).parse(params).request.url)
        if (method === 'Log.entryAdded' || method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(params))
      })
      for (const domain of ['Page', 'Network', 'Log', 'Runtime', 'WebAuthn']) await send(`${domain}.enable`, {}, own)
      await send(
        'Emulation.setDeviceMetricsOverride',
        { width: 900, height: 900, deviceScaleFactor: 1, mobile: false },
        own,
      )
      await send(
        'WebAuthn.addVirtualAuthenticator',
        {
          options: {
            protocol: 'ctap2',
            transport: 'internal',
            hasResidentKey: true,
            hasUserVerification: true,
            isUserVerified: verified,
            automaticPresenceSimulation: true,
          },
        },
        own,
      )
      const evaluate = async (expression: string): Promise<unknown> => {
        const given = { expression, userGesture: true, awaitPromise: true, returnByValue: true }
        const answer = await send('Runtime.evaluate', given, own)
        return z.looseObject({ result: z.looseObject({ value: z.unknown() }) }).parse(answer).result.value
      }
      const goes = async (to: string): Promise<void> => {
        // A change of the fragment alone would load nothing.
        await send('Page.navigate', { url: 'about:blank' }, own)
        await send('Page.navigate', { url: to }, own)
      }
      await goes(url)
      return {
        evaluate,
        goes,
        asked,
        complaints,
        async shows(text) {
          let shown = ''
          for (const until = Date.now() + LIMIT_MS; Date.now() < until; await pause(100)) {
            shown = String(await evaluate('document.body?.innerText ?? ""'))
            if (text.test(shown)) return
          }
          throw new Error(`The page does not show ${String(text)}, but: ${shown}`)
        },
        async click(text) {
          const done = await evaluate(
            `(() => { const one = [...document.querySelectorAll('button')].find((b) => b.textContent === ${JSON.stringify(text)}); one?.click(); return one !== undefined })()`,
          )
          if (done !== true) throw new Error(`There is no button "${text}"`)
        },
        async screenshot(path) {
          const { data } = await send('Page.captureScreenshot', { format: 'png' }, own)
          await writeFile(path, Buffer.from(String(data), 'base64'))
        },
      }
    },
  }
}
