/**
 * `npm run check`: all checks, two stages at a time, the longest first. A stage that fails shows its output and
 * does not stop the others, so that one run shows everything. `npm run check -- --except tests` leaves stages out.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { endWithUsage, scriptArguments } from './arguments.ts'

const root = join(import.meta.dirname, '..')
const AT_ONCE = 2

/** Scripts of package.json, `check:NAME`, in the order they begin. */
const STAGES = ['tests', 'lint', 'types', 'package', 'unused', 'format', 'generated', 'limits'] as const

interface Done {
  readonly name: string
  readonly ok: boolean
  readonly output: string
  readonly seconds: number
}

const runStage = async (name: string): Promise<Done> =>
  new Promise((resolve) => {
    const began = performance.now()
    const child = spawn(process.execPath, ['--run', `check:${name}`], { cwd: root })
    let output = ''
    const take = (chunk: Buffer): void => {
      output += chunk.toString('utf8')
    }
    const end = (ok: boolean): void => resolve({ name, ok, output, seconds: (performance.now() - began) / 1_000 })
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.on('error', () => end(false))
    child.on('close', (code) => end(code === 0))
  })

const USAGE = `Usage: npm run check -- [--except STAGE]...; STAGE is one of ${STAGES.join(', ')}`
const { values } = scriptArguments(USAGE, { except: { type: 'string', multiple: true, default: [] } })
const unknown = values.except.find((name) => !STAGES.some((stage) => stage === name))
if (unknown !== undefined) endWithUsage(USAGE, `Unknown stage '${unknown}'.`)

const waiting: string[] = STAGES.filter((stage) => !values.except.includes(stage))
const failed: string[] = []
const began = performance.now()
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name, ok, output, seconds } = await runStage(next)
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(10)} ${seconds.toFixed(1)} s`)
    if (ok) continue
    failed.push(name)
    console.log(output)
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work))
console.log(`${((performance.now() - began) / 1_000).toFixed(1)} s in all`)
if (failed.length > 0) {
  console.log(`Failed: ${failed.join(', ')}`)
  process.exitCode = 1
}
