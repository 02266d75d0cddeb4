import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGuard } from '../../../src/cli/start-guard.ts'
import type { RunningGuard } from '../../../src/cli/start-guard.ts'

/** A real guard on a free port, and how to ask it. */
export interface AskedGuard {
  readonly running: RunningGuard
  /** Posts a body (text as it is, anything else as JSON) and gives the reply, parsed. */
  ask(body: unknown, query?: string): Promise<unknown>
  /** Ends it and starts it again on the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts one. */
export const startAskedGuard = async (
  env: Readonly<Record<string, string>> = {},
  config = '{}\n',
): Promise<AskedGuard> => {
  const home = await mkdtemp(join(tmpdir(), 'sallyport-aos-'))
  await mkdir(join(home, '.config', 'sallyport'), { recursive: true })
  await writeFile(join(home, '.config', 'sallyport', 'sallyport.yaml'), config)
  const start = () =>
    startGuard({ data: join(home, 'data'), env: { HOME: home, ...env }, home, port: 0, log: () => undefined })
  let running = await start()
  return {
    get running() {
      return running
    },
    async ask(body, query = '') {
      const response = await fetch(`${running.url}/v1/hooks/aos${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      const text = await response.text()
      return text === '' ? undefined : (JSON.parse(text) as unknown)
    },
    async restart() {
      await running.stop()
      running = await start()
    },
    async stop() {
      await running.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
