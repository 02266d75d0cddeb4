import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request, Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Bench } from './bench.ts'
import { quantile, rounded } from './bench.ts'
import { buildProgram, startGuard } from './child.ts'
import { preToolUse } from './sample-events.ts'
import type { Sent } from './stall/sender.ts'

const TOKEN = 'token-of-the-bench'
const SIZES = [15_000, 200_000, 8_000_000]
/** Milliseconds between two steps of the other session. */
const EVERY_MS = 10
const WARM_STEPS = 300
/** Milliseconds in which a guard that was just started makes its code ready, and its worker. */
const WARM_MS = 8_000
/** Milliseconds after which memory is looked at. */
const REST_MS = 10_000

/** Milliseconds that one step of another session takes. */
const ask = (port: number, agent: Agent, index: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify(preToolUse(index))
    const began = performance.now()
    const asking = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path: '/v1/hooks/claude-code?event=PreToolUse',
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${TOKEN}`,
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        response.resume()
        response.on('end', () => {
          resolve(performance.now() - began)
        })
      },
    )
    asking.on('error', reject)
    asking.end(body)
  })

/** Megabytes that a process uses. */
const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/**
 * What hostile events of up to 8 MB do to a guard and to another session, which asks ordinary steps meanwhile: the 99th
 * of 100 of its steps, the slowest decision of all, and what the guard holds in memory afterwards.
 */
export const stall: Bench = async () => {
  const data = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  buildProgram()
  const guard = await startGuard(data, TOKEN)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sent: Sent[] = []
  /** Of each step of the other session: how long it took, and what was being sent. */
  const others: { readonly ms: number; readonly beside: string }[] = []
  try {
    for (let index = 0; index < WARM_STEPS; index++) await ask(guard.port, agent, index)
    await setTimeout(WARM_MS)
    let beside = ''
    const take = (one: Sent): void => {
      sent.push(one)
      if (process.argv.includes('--rows'))
        console.error(
          `${one.seconds.toFixed(3)} s ${String(one.bytes).padStart(8)} ${one.name} ${one.answer.slice(0, 120)}`,
        )
    }
    const sender = new Worker(new URL('./stall/sender.ts', import.meta.url), {
      workerData: { port: guard.port, token: TOKEN, sizes: SIZES, together: 1 },
    })
    const finished = new Promise<void>((resolve, reject) => {
      sender.on('error', reject)
      sender.on('message', (message: 'done' | { readonly name: string; readonly bytes: number } | Sent) => {
        if (message === 'done') resolve()
        else if ('seconds' in message) take(message)
        else beside = `${message.name} (${message.bytes})`
      })
    })
    const over = finished.then(() => 'over' as const)
    for (let index = WARM_STEPS; ; index++) {
      const now = beside
      const ms = await ask(guard.port, agent, index)
      others.push({ ms, beside: now })
      if ((await Promise.race([over, setTimeout(EVERY_MS)])) === 'over') break
    }
    await setTimeout(REST_MS)
    const slowest = sent.toSorted((a, b) => b.seconds - a.seconds)
    const held = others.toSorted((a, b) => b.ms - a.ms)
    for (const { name, bytes, seconds } of slowest.slice(0, 3))
      console.error(`slowest decision: ${name}, ${bytes} bytes, ${seconds.toFixed(2)} s`)
    for (const one of held.slice(0, 3))
      console.error(`other session held up most: ${one.ms.toFixed(0)} ms beside ${one.beside}`)
    return {
      figures: {
        other_p99_ms: rounded(
          quantile(
            others.map(({ ms }) => ms),
            0.99,
          ),
        ),
        other_p50_ms: rounded(
          quantile(
            others.map(({ ms }) => ms),
            0.5,
          ),
        ),
        other_worst_ms: rounded(held[0]?.ms ?? Number.NaN),
        worst_s: rounded(slowest[0]?.seconds ?? Number.NaN),
        memory_mb: rounded(residentOf(guard.pid)),
        events: sent.length,
        other_steps: others.length,
      },
      goals: [
        { figure: 'other_p99_ms', op: '<=', value: 50 },
        { figure: 'worst_s', op: '<=', value: 2 },
        { figure: 'memory_mb', op: '<=', value: 512 },
      ],
    }
  } finally {
    agent.destroy()
    await guard.stop()
    await rm(data, { recursive: true, force: true })
  }
}
