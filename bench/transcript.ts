import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ModelTurn, ReadOrder, Transcript } from '../src/core/model-turns.ts'
import { createTranscripts } from '../src/hosts/claude-code/transcript/transcripts.ts'
import { linesOf, text, toolUse } from '../test/claude-code/transcript-lines.ts'
import { rounded, type Bench } from './bench.ts'

const MIB = 1024 * 1024
const SIZE = 500 * MIB
const SESSION = '7359ca9b-48ed-4ba4-9b2b-86f51222ff73'

/** About 50 kB a turn, as sessions have them: results, pictures, and what the host writes for itself. */
const turnLines = (index: number): string => {
  const { user, result, answer, others } = linesOf(SESSION)
  const said = `${index} ${'a line of a file that was read\n'.repeat(200)}`
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(12_000) } }
  return [
    user(`u${index}`, `question ${index}`),
    others(),
    `{"type":"api-request-blob","sessionId":"${SESSION}","blob":"${'x'.repeat(20_000)}"}\n`,
    answer({ uuid: `a${index}`, message: `m${index}`, blocks: [toolUse('c', 'Read', {})], stopReason: 'tool_use' }),
    result(`r${index}`, 'c', [text(said), picture]),
    answer({ uuid: `b${index}`, message: `n${index}`, blocks: [text(said)] }),
  ].join('')
}

const write = async (path: string): Promise<number> => {
  const file = createWriteStream(path)
  let turns = 0
  for (let size = 0; size < SIZE; turns++) {
    const lines = turnLines(turns)
    size += lines.length
    if (!file.write(lines)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return turns * 2
}

/** Reads a transcript of 500 MB, first whole and then what a last turn adds to it. */
export const transcript: Bench = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  try {
    const path = join(folder, `${SESSION}.jsonl`)
    const written = await write(path)
    const one: Transcript = { path, session: { id: SESSION, transcript: path }, agent: { id: 'main', role: 'main' } }
    const source = createTranscripts()
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let peak = before
    let turns = 0
    let last: ModelTurn | undefined
    const read = async (order: ReadOrder): Promise<number> => {
      const began = performance.now()
      await source.read(one, order, async (told) => {
        if (told.news !== 'turn') return
        turns++
        last = told.turn
        if (turns % 100 === 0) peak = Math.max(peak, process.memoryUsage().rss)
      })
      return performance.now() - began
    }
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const wholeMs = await read({ settled: false })
    delay.disable()
    const from = last?.place
    const onMs = await read({ settled: true, ...(from === undefined ? {} : { from }) })
    return {
      figures: {
        file_mib: SIZE / MIB,
        turns,
        seconds: rounded(wholeMs / 1_000),
        rss_growth_mib: rounded((peak - before) / MIB),
        loop_held_max_ms: rounded(delay.max / 1e6),
        read_on_ms: rounded(onMs),
      },
      goals: [
        { figure: 'turns', op: '>=', value: written },
        { figure: 'rss_growth_mib', op: '<=', value: 150 },
      ],
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
