import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { linesOf, noWith, text, toolUse } from '../../../../test/claude-code/transcript-lines.ts'
import type { ModelTurn, ReadOrder, RefusedCall, Transcript, TranscriptRead } from '../../../core/model-turns.ts'
import type { Step } from '../../../protocol/step.ts'
import { createTranscripts } from './transcripts.ts'

const SESSION = '7359ca9b-48ed-4ba4-9b2b-86f51222ff73'
const source = createTranscripts()
const root = mkdtempSync(join(tmpdir(), 'sallyport-transcripts-'))
afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})
let made = 0

/** A transcript in a folder of its own. */
const place = (content?: string | Buffer): Transcript => {
  const path = join(root, String(made++), `${SESSION}.jsonl`)
  mkdirSync(dirname(path))
  if (content !== undefined) writeFileSync(path, content)
  return { path, session: { id: SESSION, transcript: path }, agent: { id: 'main', role: 'main' } }
}

const readAll = async (
  transcript: Transcript,
  order: ReadOrder = { settled: true },
): Promise<{
  readonly turns: readonly ModelTurn[]
  readonly refusals: readonly RefusedCall[]
  readonly read: TranscriptRead
}> => {
  const turns: ModelTurn[] = []
  const refusals: RefusedCall[] = []
  const read = await source.read(transcript, order, async (told) => {
    if (told.news === 'turn') turns.push(told.turn)
    else refusals.push(told.refusal)
  })
  return { turns, refusals, read }
}

const { user, result, refused, answer, others } = linesOf(SESSION)

/** `[role] text` of each message, short enough for a test. */
const shown = (messages: unknown): readonly string[] =>
  (messages as { role: string; content: unknown }[]).map(({ role, content }) => {
    const blocks: Record<string, unknown>[] =
      typeof content === 'string' ? [text(content)] : (content as Record<string, unknown>[])
    return `[${role}] ${blocks.map((block) => block['text'] ?? block['name'] ?? block['content'] ?? block['type']).join(' ')}`
  })

const said = (turns: readonly ModelTurn[]) => turns.map(({ input, output }) => [shown(input), shown(output)])

const sum = [
  others(),
  user('u1', 'add 3+5 and then multiply it with 2'),
  answer({ uuid: 'a1', message: 'm1', blocks: [text('First the sum.')], stopReason: 'tool_use' }),
  answer({ uuid: 'a2', message: 'm1', blocks: [toolUse('c1', 'Bash', { command: 'echo 8' })], stopReason: 'tool_use' }),
  others(),
  result('r1', 'c1', '8'),
  answer({ uuid: 'a3', message: 'm2', blocks: [text('The result is 16.')] }),
  others(),
].join('')

const SUM_TURNS = [
  [['[user] add 3+5 and then multiply it with 2'], ['[assistant] First the sum.', '[assistant] Bash']],
  [['[user] 8'], ['[assistant] The result is 16.']],
]

describe('calls that the person refused', () => {
  const call = answer({ uuid: 'a1', message: 'm1', blocks: [toolUse('c1', 'Bash', {})], stopReason: 'tool_use' })
  const cases: readonly { readonly name: string; readonly file: string; readonly refusals: readonly RefusedCall[] }[] =
    [
      {
        name: 'a call, in the terminal, before any answer',
        file: user('u1', 'go') + call + refused('r1', 'c1'),
        refusals: [{ callId: 'c1', turn: 'prompt-1' }],
      },
      {
        name: 'with a comment, and the agent continues',
        file:
          user('u1', 'go') +
          call +
          refused('r1', 'c1', noWith('not there')) +
          answer({ uuid: 'a2', message: 'm2', blocks: [] }),
        refusals: [{ callId: 'c1', turn: 'prompt-1', words: 'not there' }],
      },
      { name: 'not a call that ran', file: user('u1', 'go') + call + result('r1', 'c1', '8'), refusals: [] },
      {
        name: 'by a permission tool, whose result is the comment',
        file: refused('r1', 'c1', {
          toolDenialKind: 'permission-rule',
          holdsPersonsWords: true,
          permissionDecision: { decision: 'reject', source: 'user_reject', reasonCode: 'permissionPromptTool' },
        }),
        refusals: [{ callId: 'c1', turn: 'prompt-1', words: 'The person said no.' }],
      },
      {
        name: 'not a question without a person',
        file: refused('r1', 'c1', {
          permissionDecision: { decision: 'reject', source: 'config', reasonCode: 'hook:PreToolUse' },
        }),
        refusals: [],
      },
      {
        name: 'not a call that a hook or a rule stopped',
        file: refused('r1', 'c1', {
          toolDenialKind: 'permission-rule',
          permissionDecision: { decision: 'reject', source: 'hook', reasonCode: 'hook:PreToolUse' },
        }),
        refusals: [],
      },
      { name: 'not a call that was aborted', file: refused('r1', 'c1', {}), refusals: [] },
      {
        name: 'not text that claims a refusal',
        file: user('u1', [{ ...text('no'), toolDenialKind: 'user-rejected', toolDenialBeforeRun: true }]),
        refusals: [],
      },
      {
        name: 'only the visible part of the comment',
        file: refused('r1', 'c1', noWith('x'.repeat(5_000))),
        refusals: [{ callId: 'c1', turn: 'prompt-1', words: 'x'.repeat(1_000) }],
      },
    ]
  test.each(cases)('$name', async ({ file, refusals }) => {
    expect((await readAll(place(file))).refusals).toEqual(refusals)
  })
})

describe('turns', () => {
  const cases: readonly {
    readonly name: string
    readonly file: string | Buffer
    readonly turns: readonly unknown[]
  }[] = [
    { name: 'a call, its result, the answer', file: sum, turns: SUM_TURNS },
    { name: 'an empty file', file: '', turns: [] },
    { name: 'lines of unknown types', file: others(), turns: [] },
    { name: 'lines that are not JSON', file: `"user"\n{"type":"user"\n\0\n${sum}`, turns: SUM_TURNS },
    { name: 'Windows line ends', file: sum.replaceAll('\n', '\r\n'), turns: SUM_TURNS },
    {
      name: 'bytes that are not UTF-8',
      file: Buffer.from(`\xff\n${sum.replace('add', '\xff')}`, 'latin1'),
      turns: [[['[user] \ufffd 3+5 and then multiply it with 2'], SUM_TURNS[0]?.[1]], SUM_TURNS[1]],
    },
    {
      name: 'a line nested too deeply is marked in its place',
      file: `{"type":"assistant","message":{"content":${'['.repeat(50_000)}${']'.repeat(50_000)}}}\n${sum}`,
      turns: [
        [[expect.stringContaining('left out an entry of 1000'), ...(SUM_TURNS[0]?.[0] ?? [])], SUM_TURNS[0]?.[1]],
        SUM_TURNS[1],
      ],
    },
    { name: 'a last line that is not complete', file: sum + user('u9', 'more').slice(0, -5), turns: SUM_TURNS },
    {
      name: 'a result that comes between two blocks of one message',
      file: [
        user('u1', 'go'),
        answer({ uuid: 'a1', message: 'm1', blocks: [toolUse('c1', 'Read', {})], stopReason: 'tool_use' }),
        result('r1', 'c1', 'one'),
        answer({ uuid: 'a2', message: 'm1', blocks: [toolUse('c2', 'Grep', {})], stopReason: 'tool_use' }),
        result('r2', 'c2', 'two'),
        answer({ uuid: 'a3', message: 'm2', blocks: [text('done')] }),
      ].join(''),
      turns: [
        [['[user] go'], ['[assistant] Read', '[assistant] Grep']],
        [['[user] one', '[user] two'], ['[assistant] done']],
      ],
    },
    {
      name: 'a message of the same name after another question',
      file: [
        user('u1', 'go'),
        answer({ uuid: 'a1', message: 'm1', blocks: [text('one')] }),
        user('u2', 'again'),
        answer({ uuid: 'a2', message: 'm1', blocks: [text('two')] }),
      ].join(''),
      turns: [
        [['[user] go'], ['[assistant] one']],
        [['[user] again'], ['[assistant] two']],
      ],
    },
    {
      name: 'an error of the API that the host shows in the place of an answer',
      file: [
        user('u1', 'go'),
        answer({ uuid: 'a1', message: 'm1', blocks: [text('API Error: 400')], more: { isApiErrorMessage: true } }),
        user('u2', 'again'),
        answer({ uuid: 'a2', message: 'm2', blocks: [text('done')] }),
      ].join(''),
      turns: [[['[user] go', '[user] again'], ['[assistant] done']]],
    },
    {
      name: 'a session forked from another brings the history of that one',
      file: [
        user('u1', 'in the other session'),
        answer({ uuid: 'a1', message: 'm1', blocks: [text('old')], more: { requestSessionId: 'the-other' } }),
        user('u2', 'in this one'),
        answer({ uuid: 'a2', message: 'm2', blocks: [text('new')], more: { requestSessionId: SESSION } }),
      ].join(''),
      turns: [[['[user] in this one'], ['[assistant] new']]],
    },
  ]
  test.each(cases)('$name', async ({ file, turns }) => {
    expect(said((await readAll(place(file))).turns)).toEqual(turns)
  })

  test('a turn stores the model’s name, usage once a message, the stop reason, and the person’s turn', async () => {
    const [first] = (await readAll(place(sum))).turns
    expect(first).toMatchObject({
      model: 'claude-opus-5-5',
      usage: { input_tokens: 10, output_tokens: 5, service_tier: 'standard' },
      stopReason: 'tool_use',
      turn: 'prompt-1',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
    })
  })

  test('pictures and signatures are left out, long texts cut, and both are marked', async () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(1_000) } }
    const thought = { type: 'thinking', thinking: 'hm', signature: 'c2lnbmF0dXJl' }
    const file = [
      user('u1', [picture, text('x'.repeat(100_000))]),
      answer({ uuid: 'a1', message: 'm1', blocks: [thought] }),
    ].join('')
    const [turn] = (await readAll(place(file))).turns
    expect(turn?.output).toEqual([{ role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }] }])
    expect(turn?.input).toMatchObject([
      {
        content: [
          { source: { media_type: 'image/png', data: '[sallyport left out 1000 characters of base64]' } },
          { text: expect.stringMatching(/^x{65536}\[sallyport left out 34464 characters\]$/) },
        ],
      },
    ])
  })

  test('a line too long to read is marked in its place', async () => {
    const file = user('u1', 'x'.repeat(17 * 1024 * 1024)) + answer({ uuid: 'a1', message: 'm1', blocks: [text('ok')] })
    expect(said((await readAll(place(file))).turns)).toEqual([
      [[expect.stringMatching(/^\[user\] \[sallyport left out an entry of 178\d{5} bytes\]$/)], ['[assistant] ok']],
    ])
  })

  test('the newest messages of a long context are stored', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => user(`u${index}`, `${index} ${'y'.repeat(200)}`))
    const file = many.join('') + answer({ uuid: 'a1', message: 'm1', blocks: [text('ok')] })
    const input = shown((await readAll(place(file))).turns[0]?.input)
    expect(input[0]).toMatch(/^\[user\] \[sallyport left out \d+ messages that were older\]$/)
    expect(input.at(-1)).toMatch(/^\[user\] 2999 y/)
    expect(JSON.stringify(input).length).toBeLessThan(300_000)
  })
})

describe('the last answer', () => {
  const half = [
    user('u1', 'go'),
    answer({ uuid: 'a1', message: 'm1', blocks: [text('Let me see.')], stopReason: 'tool_use' }),
  ].join('')
  test.each([
    { name: 'waits while more may come', file: sum, order: { settled: false }, turns: 1, whole: false },
    {
      name: 'is taken when it is the reported one',
      file: sum,
      order: { settled: false, endsWith: 'The result is 16.' },
      turns: 2,
      whole: true,
    },
    {
      name: 'waits when the reported one has not arrived yet',
      file: half,
      order: { settled: false, endsWith: 'Done.' },
      turns: 0,
      whole: false,
    },
    {
      name: 'waits when its message continues',
      file: half,
      order: { settled: false, endsWith: 'Let me see.' },
      turns: 0,
      whole: false,
    },
    { name: 'is taken when nothing more is expected', file: half, order: { settled: true }, turns: 1, whole: true },
    {
      name: 'does not matter to a file without one',
      file: user('u1', 'go'),
      order: { settled: false },
      turns: 0,
      whole: true,
    },
  ])('$name', async ({ file, order, turns, whole }) => {
    const done = await readAll(place(file), order)
    expect([done.turns.length, done.read]).toEqual([turns, { outcome: 'read', whole, size: Buffer.byteLength(file) }])
  })
})

describe('in pieces', () => {
  const block = fc.oneof(fc.string({ maxLength: 12 }).map(text), fc.constant(toolUse('c', 'Bash', { command: 'ls' })))
  const words = fc.string({ maxLength: 12 })
  const entry = fc.oneof(
    { weight: 1, arbitrary: fc.record({ is: fc.constant('user' as const), content: words }) },
    { weight: 3, arbitrary: fc.record({ is: fc.constant('result' as const), content: words }) },
    {
      weight: 5,
      arbitrary: fc.record({ is: fc.constant('answer' as const), message: fc.integer({ min: 0, max: 1 }), block }),
    },
    { weight: 1, arbitrary: fc.record({ is: fc.constant('other' as const) }) },
  )
  const fileOf = (entries: readonly (typeof entry extends fc.Arbitrary<infer T> ? T : never)[]): Buffer =>
    Buffer.from(
      entries
        .map((one, index) => {
          if (one.is === 'user') return user(`u${index}`, one.content)
          if (one.is === 'result') return result(`r${index}`, 'c', one.content)
          if (one.is === 'other') return others()
          return answer({ uuid: `a${index}`, message: `m${one.message}`, blocks: [one.block] })
        })
        .join(''),
    )

  test('any split, read after each part, results in the same turns once each', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 14 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
        async (entries, cuts) => {
          const whole = fileOf(entries)
          const expected = (await readAll(place(whole))).turns.map(({ id, input, turn }) => ({ id, input, turn }))
          const transcript = place()
          const got: ModelTurn[] = []
          for (const cut of [...cuts.toSorted((a, b) => a - b), 1]) {
            writeFileSync(transcript.path, whole.subarray(0, Math.round(cut * whole.length)))
            const from = got.at(-1)?.place
            got.push(
              ...(await readAll(transcript, { settled: cut === 1, ...(from === undefined ? {} : { from }) })).turns,
            )
          }
          expect(got.map(({ id, input, turn }) => ({ id, input, turn }))).toEqual(expected)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('results between two blocks of a message are read again with their turn', async () => {
    const start = [
      user('u1', 'go'),
      answer({ uuid: 'a1', message: 'm1', blocks: [toolUse('c1', 'Read', {})], stopReason: 'tool_use' }),
      result('r1', 'c1', 'one'),
      answer({ uuid: 'a2', message: 'm1', blocks: [toolUse('c2', 'Grep', {})], stopReason: 'tool_use' }),
      result('r2', 'c2', 'two'),
      answer({ uuid: 'a3', message: 'm2', blocks: [text('so')] }),
    ].join('')
    const transcript = place(start)
    const [first] = (await readAll(transcript, { settled: false })).turns
    writeFileSync(transcript.path, start + user('u2', 'and?'))
    const order = { settled: true, ...(first === undefined ? {} : { from: first.place }) }
    expect(said((await readAll(transcript, order)).turns)).toEqual([[['[user] one', '[user] two'], ['[assistant] so']]])
  })

  test('a rewritten file is read from its start, and its turns keep their names', async () => {
    const transcript = place(sum)
    const before = (await readAll(transcript)).turns
    writeFileSync(transcript.path, others() + sum)
    const after = (
      await readAll(transcript, { settled: true, from: before[1]?.place ?? { offset: 0, taken: 0, mark: '' } })
    ).turns
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    truncateSync(transcript.path, 10)
    expect(
      (await readAll(transcript, { settled: true, from: before[1]?.place ?? { offset: 0, taken: 0, mark: '' } })).read,
    ).toEqual({
      outcome: 'read',
      whole: true,
      size: 10,
    })
  })
})

describe('the transcript that a step names', () => {
  const path = '/home/user/.claude/projects/-app/7359ca9b.jsonl'
  const step = (kind: string, payload: unknown, more: object = {}): Step =>
    ({
      kind,
      payload,
      id: 's',
      host: 'claude-code',
      event: 'x',
      at: 1,
      session: { id: '7359ca9b', transcript: path },
      agent: { id: 'main', role: 'main' },
      ...more,
    }) as unknown as Step
  const child = { agent: { id: 'a1', role: 'subagent' } }
  test.each([
    { name: 'Stop', step: step('turnEnd', { text: 'Done.' }), cue: { path, endsWith: 'Done.', ended: false } },
    { name: 'Stop without a text', step: step('turnEnd', { text: ' ' }), cue: { path, ended: false } },
    { name: 'SessionEnd', step: step('sessionEnd', { reason: 'other' }), cue: { path, ended: true } },
    {
      name: 'SubagentStop',
      step: step('subagentStop', { text: 'Done.', transcript: '/t/agent-a1.jsonl' }, child),
      cue: { path: '/t/agent-a1.jsonl', endsWith: 'Done.', ended: false, agent: child.agent },
    },
    {
      name: 'SubagentStop of a client that does not name it',
      step: step('subagentStop', { text: '' }, child),
      cue: { path: '/home/user/.claude/projects/-app/7359ca9b/subagents/agent-a1.jsonl', ended: false },
    },
    { name: 'PreToolUse', step: step('toolCallRequest', {}), cue: undefined },
    { name: 'Stop of another host', step: step('turnEnd', { text: '' }, { host: 'openclaw' }), cue: undefined },
    {
      name: 'Stop without a transcript',
      step: step('turnEnd', { text: '' }, { session: { id: 'x' } }),
      cue: undefined,
    },
  ])('$name', ({ step: given, cue }) => {
    if (cue === undefined) expect(source.cue(given)).toBeUndefined()
    else expect(source.cue(given)).toMatchObject(cue)
  })

  test('subagents are searched beside the main transcript', async () => {
    const main = place(sum)
    const subagents = join(main.path.replace('.jsonl', ''), 'subagents')
    mkdirSync(subagents, { recursive: true })
    for (const name of ['agent-a1.jsonl', 'agent-a1.meta.json', 'other.jsonl'])
      writeFileSync(join(subagents, name), sum)
    const found = await source.subagents(main)
    expect(found).toEqual([
      { path: join(subagents, 'agent-a1.jsonl'), session: main.session, agent: { id: 'a1', role: 'subagent' } },
    ])
    expect((await readAll(found[0] as Transcript)).turns).toHaveLength(2)
    expect(await source.subagents(place())).toEqual([])
  })
})

/** Recorded from the real client; they are beside the checkout, not in it. */
const FOLDER = join(
  process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../../shared'),
  'captures/claude-code',
)
if (!existsSync(FOLDER)) process.stderr.write(`SKIPPED: no recorded transcripts at ${FOLDER}\n`)

describe.skipIf(!existsSync(FOLDER))('transcripts recorded from the real client', () => {
  test.each([
    {
      file: 'transcript-example.jsonl',
      turns: [
        [['[user] MAIN-PROMPT say hi'], ['[assistant] I will run it.', '[assistant] Bash']],
        [['[user] hi'], ['[assistant] FINAL: all done']],
      ],
    },
    {
      file: 'agent-transcript-example.jsonl',
      turns: [
        [['[user] SUBAGENT-TASK do it'], ['[assistant] Bash']],
        [['[user] SUB-OUT'], ['[assistant] SUB-FINAL']],
      ],
    },
  ])('$file', async ({ file, turns }) => {
    expect(said((await readAll(place(readFileSync(join(FOLDER, file))))).turns)).toEqual(turns)
  })
})
