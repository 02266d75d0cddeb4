/**
 * `npm run fuzz -- [--target NAME]… [--cases N] [--seconds N] [--seed N] [--json]`: tries every parser and detector on
 * hostile inputs, a row a target, until there were so many cases or the time is over. A case breaks a law by throwing,
 * and by taking longer than any case may.
 */
import process from 'node:process'
import { runTarget } from '../test/fuzz/target.ts'
import type { Target } from '../test/fuzz/target.ts'
import { loadTargets } from '../test/fuzz/targets.ts'
import { endWithUsage, scriptArguments } from './arguments.ts'

/** Milliseconds of processor time a case may take; the machine may be busy, so a slow case is tried again twice. */
const LONGEST_MS = 100

interface Row {
  readonly target: string
  readonly cases: number
  readonly seed: number
  readonly seconds: number
  /** Of the slowest case, the quickest of its tries. */
  readonly slowest_ms: number
  readonly broken?: string
  readonly input?: string
}

/** Checks an input, and its time. */
const createTimedCheck = (
  one: Target,
): { readonly check: (input: unknown) => void; readonly slowest: () => number } => {
  let slowest = 0
  const worked = (input: unknown): number => {
    const before = process.cpuUsage()
    one.check(input)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  return {
    check: (input) => {
      const began = performance.now()
      one.check(input)
      let took = performance.now() - began
      if (took <= slowest) return
      for (let again = 0; again < 2; again++) took = Math.min(took, worked(input))
      slowest = Math.max(slowest, took)
      if (took > LONGEST_MS) throw new Error(`took ${took.toFixed(0)} ms, thrice`)
    },
    slowest: () => slowest,
  }
}

const run = (one: Target, cases: number, seed: number, seconds: number): Row => {
  const { check, slowest } = createTimedCheck(one)
  const began = performance.now()
  const ran = runTarget(one, cases, seed, { check, seconds })
  return {
    target: one.name,
    cases: ran.cases,
    seed,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    slowest_ms: Math.round(slowest() * 10) / 10,
    ...(ran.broken === undefined ? {} : { broken: ran.broken.why, input: JSON.stringify(ran.broken.input) }),
  }
}

const targets = await loadTargets()
const USAGE =
  'Usage: npm run fuzz -- [--target NAME]... [--cases N] [--seconds N] [--seed N] [--json]; ' +
  `NAME is one of ${targets.map(({ name }) => name).join(', ')}`
const { values } = scriptArguments(USAGE, {
  target: { type: 'string', multiple: true },
  cases: { type: 'string', default: '10000' },
  seconds: { type: 'string', default: '86400' },
  seed: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
})
const chosen = targets.filter(({ name }) => values.target === undefined || values.target.includes(name))
if (chosen.length === 0) endWithUsage(USAGE, 'Unknown target.')
if (!(Number(values.cases) > 0)) endWithUsage(USAGE, '--cases takes a number.')
for (const one of chosen) {
  const row = run(one, Number(values.cases), Number(values.seed), Number(values.seconds))
  const { target, cases, seed, seconds, slowest_ms, broken, input } = row
  if (values.json) console.log(JSON.stringify(row))
  else {
    console.log(
      `| ${target} | ${cases} | ${seed} | ${seconds} s | ${slowest_ms} ms | ${broken === undefined ? 'none' : 'BROKEN'} |`,
    )
    if (broken !== undefined) console.log(`${broken}\n${input}\n`)
  }
  if (broken !== undefined) process.exitCode = 1
}
