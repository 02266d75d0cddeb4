import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { isObject } from '../src/protocol/json.ts'
import type { Bench } from './bench.ts'
import { quantile, rounded } from './bench.ts'
import { load } from './load.ts'
import type { LoadResult } from './load.ts'
import { preToolUse } from './sample-events.ts'

const TOKEN = 'token-of-the-bench'
const CONNECTIONS = 32
const ROUNDS = 5
const ROUND_MS = 2_000

interface Child {
  readonly port: number
  stop(): Promise<void>
}

const start = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<Child> => {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const ready: unknown = JSON.parse(line)
  const port = Number(new URL(isObject(ready) && typeof ready['url'] === 'string' ? ready['url'] : '').port)
  return {
    port,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Requests a second of the hook endpoint, with durable records, against the bare echo: in turn, in one run. */
export const serve: Bench = async () => {
  const data = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  const guard = await start(['src/cli/main.ts', 'serve', '--port', '0', '--data', data], {
    SALLYPORT_TOKEN: TOKEN,
    SALLYPORT_CONFIG_HOME: join(data, 'config'),
  })
  const echo = await start(['bench/echo-server.ts'], {})
  let index = 0
  const body = (): string => JSON.stringify(preToolUse(index++))
  const round = (port: number, ms: number): Promise<LoadResult> =>
    load({ port, path: '/v1/hooks/claude-code?event=PreToolUse', token: TOKEN, connections: CONNECTIONS, ms, body })
  const ours: LoadResult[] = []
  const theirs: LoadResult[] = []
  try {
    await round(guard.port, 1_500)
    await round(echo.port, 1_500)
    for (let turn = 0; turn < ROUNDS; turn++) {
      ours.push(await round(guard.port, ROUND_MS))
      theirs.push(await round(echo.port, ROUND_MS))
    }
  } finally {
    await Promise.all([guard.stop(), echo.stop()])
    await rm(data, { recursive: true, force: true })
  }
  const rps = (results: readonly LoadResult[]): number =>
    quantile(
      results.map((one) => one.requestsPerSecond),
      0.5,
    )
  const latencies = ours.flatMap((one) => one.latencies)
  return {
    figures: {
      requests_per_second: rounded(rps(ours)),
      echo_requests_per_second: rounded(rps(theirs)),
      ratio_echo: rounded(rps(ours) / rps(theirs)),
      p50_ms: rounded(quantile(latencies, 0.5)),
      p99_ms: rounded(quantile(latencies, 0.99)),
      connections: CONNECTIONS,
    },
    goals: [{ figure: 'ratio_echo', op: '>=', value: 0.5 }],
  }
}
