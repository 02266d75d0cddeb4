import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGuard } from '../../../src/cli/serve/start-guard.ts'
import type { Outcome } from '../../../src/core/guard.ts'
import type { RunningGuard } from '../../../src/cli/serve/start-guard.ts'

/** A real guard on a free port, and how to ask it. */
export interface AskedGuard {
  readonly running: RunningGuard
  /** Its decisions, each after it was recorded. */
  readonly decided: readonly Outcome[]
  /** Folder that everything is kept in. */
  readonly data: string
  /** Posts a body (text as it is, anything else as JSON) and returns the parsed reply. */
  ask(body: unknown, query?: string, headers?: Readonly<Record<string, string>>): Promise<unknown>
  /** Ends it and starts it again on the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts one. `config` is YAML and `policy` Cedar, both the user's own. */
export const startAskedGuard = async (
  env: Readonly<Record<string, string>> = {},
  config = '{}\n',
  policy?: string,
): Promise<AskedGuard> => {
  const home = await mkdtemp(join(tmpdir(), 'sallyport-aos-'))
  await mkdir(join(home, '.config', 'sallyport'), { recursive: true })
  await writeFile(join(home, '.config', 'sallyport', 'sallyport.yaml'), config)
  if (policy !== undefined) await writeFile(join(home, '.config', 'sallyport', 'policy.cedar'), policy)
  const data = join(home, 'data')
  const decided: Outcome[] = []
  const start = () =>
    startGuard({
      data,
      env: { HOME: home, ...env },
      home,
      port: 0,
      log: () => undefined,
      decided: (outcome) => decided.push(outcome),
    })
  let running = await start()
  return {
    decided,
    data,
    get running() {
      return running
    },
    async ask(body, query = '', headers = {}) {
      const response = await fetch(`${running.url}/v1/hooks/aos${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json', ...headers },
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
