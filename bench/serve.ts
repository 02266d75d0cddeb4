import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { quantile, rounded } from './bench.ts'
import { buildProgram, startChild, startGuard } from './child.ts'
import { load } from './load.ts'
import type { LoadResult } from './load.ts'
import { preToolUse } from './sample-events.ts'

const TOKEN = 'token-of-the-bench'
const CONNECTIONS = 32
const ROUNDS = 5
const ROUND_MS = 2_000
const WARM_MS = 4_000

/** Numbers in the sample commands: with sixteen, 256 commands are repeated, as in an agent's day. */
const NUMBERS = { repeated: 16, fresh: Infinity } as const

const median = (results: readonly LoadResult[]): number =>
  quantile(
    results.map((one) => one.requestsPerSecond),
    0.5,
  )

/**
 * Requests a second of the hook endpoint, with durable records, against the bare echo: in turn, in one run.
 * `ratio_echo` is for commands that come again, `ratio_echo_fresh` for commands none of which was seen before.
 */
export const serve: Bench = async () => {
  const data = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  buildProgram()
  const guard = await startGuard(data, TOKEN)
  const echo = await startChild(['bench/echo-server.ts'], {})
  let index = 0
  const round = (port: number, numbers: number, ms: number): Promise<LoadResult> =>
    load({
      port,
      path: '/v1/hooks/claude-code?event=PreToolUse',
      token: TOKEN,
      connections: CONNECTIONS,
      ms,
      body: () => JSON.stringify(preToolUse(index++, numbers)),
    })
  const results = { repeated: [] as LoadResult[], fresh: [] as LoadResult[], echo: [] as LoadResult[] }
  try {
    for (const port of [guard.port, echo.port]) await round(port, NUMBERS.fresh, WARM_MS)
    for (let turn = 0; turn < ROUNDS; turn++) {
      results.repeated.push(await round(guard.port, NUMBERS.repeated, ROUND_MS))
      results.echo.push(await round(echo.port, NUMBERS.repeated, ROUND_MS))
      results.fresh.push(await round(guard.port, NUMBERS.fresh, ROUND_MS))
    }
  } finally {
    await Promise.all([guard.stop(), echo.stop()])
    await rm(data, { recursive: true, force: true })
  }
  const latencies = results.repeated.flatMap((one) => one.latencies)
  return {
    figures: {
      requests_per_second: rounded(median(results.repeated)),
      requests_per_second_fresh: rounded(median(results.fresh)),
      echo_requests_per_second: rounded(median(results.echo)),
      ratio_echo: rounded(median(results.repeated) / median(results.echo)),
      ratio_echo_fresh: rounded(median(results.fresh) / median(results.echo)),
      p50_ms: rounded(quantile(latencies, 0.5)),
      p99_ms: rounded(quantile(latencies, 0.99)),
      connections: CONNECTIONS,
    },
    goals: [{ figure: 'ratio_echo', op: '>=', value: 0.5 }],
  }
}
