import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { stripVTControlCharacters } from 'node:util'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { NO_EVIDENCE } from '../../protocol/evidence.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { referenceOf } from '../../protocol/reference.ts'
import type { StepTrace } from '../../protocol/step.ts'
import type { GuardianRecord, Verdict } from '../../protocol/verdict.ts'
import { openSqliteStore } from '../../record/stores/sqlite.ts'
import type { AuditableStore } from '../../record/stores/store.ts'
import { createRecorder, type Recorder } from '../../record/trace/recorder.ts'
import type { ExitCode, Io } from '../io/io.ts'
import { createTrace } from './trace.ts'
import { ALLOWED } from '../../../test/support/allowed.ts'

const T0 = Date.UTC(2026, 10, 21, 12)
const HOUR = 3_600_000

const verdictOf = (over: Partial<Verdict>): Verdict => ({
  ...ALLOWED,
  ...over,
})

describe('sallyport trace', () => {
  let folder: string
  let store: AuditableStore
  let recorder: Recorder
  let printed: string[]

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-trace-'))
    store = openSqliteStore({ path: join(folder, 'trace.db') })
    const mask = (value: JsonObject) => ({ value, masked: [] })
    recorder = createRecorder({ store, mask, version: '0.0.0', now: () => T0 })
    printed = []
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })

  const call = (
    session: string,
    at: number,
    command: string,
    verdict: Partial<Verdict> = {},
    trace: StepTrace = {},
    reference?: string,
  ) => {
    const step = {
      id: `call-${at}`,
      kind: 'toolCallRequest',
      host: 'claude-code',
      event: 'PreToolUse',
      at,
      session: { id: session },
      agent: { id: 'main', role: 'main' },
      trace,
      payload: { tool: { name: 'Bash' }, input: { command } },
    } as const
    return recorder.recordDecision({
      step,
      merged: step,
      verdict: verdictOf(verdict),
      evidence: NO_EVIDENCE,
      tookMs: 0.2,
      ...(reference === undefined ? {} : { reference }),
    })
  }
  const aFewCalls = async (): Promise<void> => {
    await recorder.recordNotice('GuardStarted', { pid: 7 })
    await call('alpha-1', T0, 'ls -la')
    await call('alpha-1', T0 + 1_000, 'rm -rf /', {
      decision: 'deny',
      reason: 'Deleting the whole disk. Name the files you mean.',
      policies: [{ id: 'baseline.destroy', version: '1' }],
    })
    await call('beta-2', T0 + HOUR, 'git push', { observed: 'ask', unguarded: true })
  }

  const run = async (args: readonly string[], over: Partial<Io> = {}): Promise<ExitCode> =>
    createTrace(() => T0 + 2 * HOUR).run([...args, ...(args.includes('--data') ? [] : ['--data', folder])], {
      out: (text) => {
        printed.push(text)
      },
      err: () => {},
      stdin: async () => '',
      env: {},
      cwd: '/',
      home: '/nonexistent',
      isTty: false,
      signal: new AbortController().signal,
      ...over,
    })
  const output = (): string => printed.join('\n').replaceAll(/[0-9a-f]{64}/g, 'HASH')
  const usage = { code: 'SP_USAGE' }

  test('ls lists the sessions, newest first', async () => {
    await aFewCalls()
    expect(await run(['ls'])).toBe(0)
    expect(output()).toMatchInlineSnapshot(`
      "SESSION   EVENTS  STARTED (UTC)         LAST EVENT
      beta-2         1  2026-11-21 13:00:00Z  1 hour ago
      alpha-1        2  2026-11-21 12:00:00Z  1 hour ago"
    `)
  })

  test('ls prints a long name in full, without moving other lines', async () => {
    const long = 'x'.repeat(200)
    await call(long, T0, 'ls')
    await call('beta-2', T0, 'ls')
    await run(['ls'])
    expect(output()).toContain(`${long}        1`)
    expect(output()).toContain(`beta-2${' '.repeat(58)}        1`)
  })

  test('ls reports an empty trace', async () => {
    expect(await run(['ls'])).toBe(0)
    expect(output()).toBe('No sessions yet.')
  })

  test('ls --limit --json prints one value per line', async () => {
    await aFewCalls()
    await run(['ls', '--json', '--limit', '1'])
    expect(printed.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { session: 'beta-2', events: 1, firstAt: T0 + HOUR, lastAt: T0 + HOUR },
    ])
  })

  test('show prints the decision, the reason, and the rule', async () => {
    await aFewCalls()
    expect(await run(['show', 'alpha-1'])).toBe(0)
    expect(output()).toMatchInlineSnapshot(`
      "trace 1261f235b53b2b99572b32d90eb88507
          1  2026-11-21 12:00:00Z  allow  ToolCallRequested  Bash: ls -la
          2  2026-11-21 12:00:01Z  deny   ToolCallRequested  Bash: rm -rf /
              Deleting the whole disk. Name the files you mean. [baseline.destroy]"
    `)
  })

  test.each([
    ['the beginning of its name', 'bet'],
    ['`last`', 'last'],
  ])('show finds a session by %s, and marks what is unusual', async (_, name) => {
    await aFewCalls()
    await run(['show', name])
    expect(output()).toBe(
      [
        'trace 0b7671853e43b6d62f76743ef7f4c9fb',
        '    1  2026-11-21 13:00:00Z  allow  ToolCallRequested  Bash: git push',
        '        · observed only; would have been ask',
        '        · unguarded: a guardian failed, and the step was allowed',
      ].join('\n'),
    )
  })

  test('show prints each guardian’s opinion and rule, the merged edits, and the opinions on these; each rule once', async () => {
    const said = (guardian: string, outcome: GuardianRecord['outcome'], more: Partial<GuardianRecord> = {}) =>
      ({ guardian, version: 'v1', stage: 'decision', outcome, tookMs: 1, ...more }) as const
    await call('delta-4', T0, 'ls', {
      decision: 'deny',
      reason: 'Not today.',
      policies: [
        { id: 'not-today', version: '1' },
        { id: 'not-today', version: '2' },
      ],
      unguarded: true,
      guardians: [
        said('evidence', 'allow', { stage: 'evidence' }),
        said('policy', 'allow'),
        said('team', 'modify', { edited: ['/input/command'], policies: [{ id: 'mask', version: '7' }] }),
        said('gone', 'unreachable', { reason: 'It is\naway.' }),
        said('team', 'deny', { stage: 'recheck', reason: 'Not today.' }),
      ],
      mergeNotes: ['team at "/input/command" replaces the edit of policy at "/input/command"'],
    })
    await run(['show', 'delta-4'])
    expect(output()).toContain(
      [
        '        Not today. [not-today]',
        '        · policy (v1): allow',
        '        · team (v1): modify /input/command [mask 7]',
        '        · gone (v1): unreachable: It is ⏎ away.',
        '        · merged: team at "/input/command" replaces the edit of policy at "/input/command"',
        '        · second check of the edited step: team deny',
      ].join('\n'),
    )
  })

  test('show finds the decision of a reference in any spelling, with all its reasons', async () => {
    await aFewCalls()
    const reason =
      'Guardian scanner could not be reached: connect ECONNREFUSED. Start it, or remove it from sallyport.yaml.'
    const at = T0 + HOUR / 2
    const reference = referenceOf(at, 'one')
    await call('gamma-3', at, 'rm x', { decision: 'deny', reason }, {}, reference)
    await call('gamma-3', at + 1, 'rm y', { decision: 'deny', reason: 'Another.' }, {}, referenceOf(at, 'other'))
    expect(await run(['show', reference.toLowerCase()])).toBe(0)
    expect(output()).toMatchInlineSnapshot(`
      "session gamma-3
          1  2026-11-21 12:30:00Z  deny   ToolCallRequested  Bash: rm x
              Guardian scanner could not be reached: connect ECONNREFUSED. Start it, or remove it from sallyport.yaml."
    `)
    await expect(run(['show', referenceOf(T0, 'nothing')])).rejects.toMatchObject(usage)
  })

  test('a session named like a reference is found as a session', async () => {
    await call('7F2K-9QWM', T0, 'ls -la')
    expect(await run(['show', '7F2K-9QWM'])).toBe(0)
    expect(output()).toContain('ls -la')
  })

  test('show prints the hypothetical decision of an observing guardian or rule', async () => {
    const guardian = {
      guardian: 'ice',
      version: 'ice-1 observe',
      stage: 'evidence',
      outcome: 'allow',
      tookMs: 1,
    } as const
    await call('echo-5', T0, 'ls', {
      reasonCodes: ['ice:blocked', 'observed:git-discard'],
      policies: [{ id: 'git-discard', version: '1' }],
      guardians: [
        { ...guardian, observed: 'deny', reason: 'Aiceberg would block this (e2e), event 7' },
        { ...guardian, guardian: 'other', reason: 'Aiceberg event 8' },
      ],
    })
    await run(['show', 'echo-5'])
    expect(output()).toContain(
      [
        '        · observed only, would have applied: git-discard',
        '        · ice (ice-1 observe): allow (observe only; would have been deny): Aiceberg would block this (e2e), event 7',
        '        · other (ice-1 observe): allow',
      ].join('\n'),
    )
  })

  test('show marks where another trace begins', async () => {
    await call('gamma-3', T0, 'ls')
    await call('gamma-3', T0, 'ls', {}, { traceId: 'a1'.repeat(16) })
    await call('gamma-3', T0, 'ls', {}, { traceId: 'a1'.repeat(16) })
    await run(['show', 'gamma-3'])
    expect(output().match(/^trace .*/gm)).toEqual([expect.not.stringContaining('a1a1'), `trace ${'a1'.repeat(16)}`])
  })

  test("show guard prints the guard's own events", async () => {
    await aFewCalls()
    await run(['show', 'guard'])
    expect(output()).toMatchInlineSnapshot(`
      "    1  2026-11-21 12:00:00Z  GuardStarted  {"pid":7}
          2  2026-11-21 12:00:00Z  SessionOpened  {"session":"alpha-1"}
          3  2026-11-21 13:00:00Z  SessionOpened  {"session":"beta-2"}"
    `)
  })

  test('show --json prints whole events', async () => {
    await aFewCalls()
    await run(['show', 'alpha-1', '--json'])
    const events = printed.map((line) => JSON.parse(line) as { seq: number; body: { verdict: { decision: string } } })
    expect(events.map(({ seq, body }) => [seq, body.verdict.decision])).toEqual([
      [1, 'allow'],
      [2, 'deny'],
    ])
  })

  test('colours a terminal, unless NO_COLOR is set', async () => {
    await aFewCalls()
    await run(['show', 'alpha-1'], { isTty: true })
    const coloured = output()
    expect(coloured).toContain('\u001b[31mdeny')
    printed = []
    await run(['show', 'alpha-1'], { isTty: true, env: { NO_COLOR: '1' } })
    expect(output()).toBe(stripVTControlCharacters(coloured))
  })

  test.each([[['show', 'alpha-1']], [['show', 'alpha-1', '--json']], [['tail']]])(
    'agent text never controls the terminal: %j',
    async (args) => {
      await call('alpha-1', T0, 'echo \u001b]0;owned\u0007\u009b2J\u202e\u200b\nrm', { reason: 'no \u001b[2Jway' })
      await run(args)
      for (const line of printed.flatMap((one) => one.split('\n'))) expect(line).not.toMatch(/[\p{Cc}\u202e\u200b]/v)
      expect(output()).toContain(String.raw`\u009b2J\u202e\u200b`)
    },
  )

  test('blanks do not hide parts of a call', async () => {
    await call('alpha-1', T0, `npm publish${' '.repeat(500)}&& rm -rf ~`)
    await run(['show', 'alpha-1'])
    expect(output()).toContain('npm publish [500 blanks] && rm -rf ~')
  })

  test('tail prints the last events of all sessions', async () => {
    await aFewCalls()
    await run(['tail', '-n', '3'])
    expect(output()).toMatchInlineSnapshot(`
      "    2  2026-11-21 12:00:01Z  alpha-1  deny   ToolCallRequested  Bash: rm -rf /
              Deleting the whole disk. Name the files you mean. [baseline.destroy]
          3  2026-11-21 13:00:00Z  guard    SessionOpened  {"session":"beta-2"}
          1  2026-11-21 13:00:00Z  beta-2   allow  ToolCallRequested  Bash: git push
              · observed only; would have been ask
              · unguarded: a guardian failed, and the step was allowed"
    `)
  })

  test('tail -f prints events as they are written, also after retention, until it is stopped', async () => {
    await aFewCalls()
    const abort = new AbortController()
    const seen = async (line: RegExp): Promise<void> => {
      while (!printed.some((one) => line.test(one))) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const followed = run(['tail', '-f', '-n', '1'], { signal: abort.signal })
    await seen(/git push/)
    await call('gamma', T0 + 2 * HOUR, 'first')
    await seen(/first/)
    await store.removeBefore(T0 + 3 * HOUR)
    await seen(/RetentionApplied/)
    await call('gamma', T0 + 2 * HOUR, 'second')
    await seen(/second/)
    abort.abort()
    expect(await followed).toBe(0)
    expect(printed.filter((line) => line.includes('ToolCallRequested'))).toHaveLength(3)
  })

  test('verify reports success, and how much it read', async () => {
    await aFewCalls()
    expect(await run(['verify'])).toBe(0)
    expect(output()).toMatchInlineSnapshot(`
      "The trace is intact: 6 events in 2 sessions, every hash recomputed.
      The guard's chain ends at 3:HASH"
    `)
  })

  test('verify ends with 1 and reports the exact position', async () => {
    await aFewCalls()
    const db = new DatabaseSync(join(folder, 'trace.db'))
    db.exec(`UPDATE events SET body = replace(body, '"deny"', '"allow"'); DELETE FROM events WHERE session_id = 3`)
    db.close()
    expect(await run(['verify'])).toBe(1)
    expect(output()).toMatchInlineSnapshot(`
      "The trace is broken: 2 faults; read 5 events in 2 sessions.
        session alpha-1, event 2: changed after it was written
        session beta-2, event 1: missing"
    `)
    printed = []
    expect(await run(['verify', 'alpha-1', '--json'])).toBe(1)
    expect(JSON.parse(printed[0] ?? '')).toMatchObject({ faults: [{ kind: 'changed', session: 'alpha-1', seq: 2 }] })
  })

  test('seal --new prints the verification key once, and verify proves with it', async () => {
    await aFewCalls()
    expect(await run(['seal', '--new', '--json'])).toBe(0)
    const { verificationKey, seals } = JSON.parse(printed.pop() ?? '') as { verificationKey: string; seals: number }
    expect(seals).toBe(1)
    const stdin = async (): Promise<string> => verificationKey
    expect(await run(['verify', '--seal-key', '-'], { stdin })).toBe(0)
    expect(output()).toMatchInlineSnapshot(`
      "The trace is intact: 7 events in 2 sessions, every hash recomputed.
      Sealed 1 time, last at 2026-11-21 14:00:00Z; all events of sessions are sealed.
      The verification key proves 1 seal: nothing before the last one was changed after it was sealed.
      The guard's chain ends at 4:HASH"
    `)
    await call('beta-2', T0 + HOUR + 1, 'ls')
    await run(['seal'])
    new DatabaseSync(join(folder, 'trace.db')).exec(
      "UPDATE events SET body = replace(body, 'number', 'numbers') WHERE type = 'ChainsSealed' AND body LIKE '%:2,%'",
    )
    expect(await run(['verify', '--seal-key', '-'], { stdin })).toBe(1)
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
    const secret = verificationKey.slice(verificationKey.indexOf(':') + 1)
    for (const kept of files) {
      expect(kept).not.toContain(secret)
      expect(kept).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
    }
  })

  test('an agent cannot begin another sequence of keys', async () => {
    await aFewCalls()
    await expect(run(['seal', '--new'], { env: { CLAUDECODE: '1' } })).rejects.toMatchObject({
      code: 'SP_APPROVAL_AGENT',
    })
  })

  test('checkpoint prints the input of a later verify', async () => {
    await aFewCalls()
    await run(['checkpoint', '--key'])
    const key = printed.pop() ?? ''
    await run(['checkpoint'])
    const note = `${printed.pop() ?? ''}\n`
    await call('alpha-1', T0 + 2_000, 'ls')
    const check = (kept: string, options: readonly string[] = ['--checkpoint-key', key]) =>
      run(['verify', '--checkpoint', '-', ...options], { stdin: async () => kept })
    expect(await check(note)).toBe(0)
    expect(printed.at(-1)).toBe('1 of 1 checkpoints match.')
    await expect(check(note.replace(/\n\d+\n/, '\n1\n'))).rejects.toThrow('was not signed with this key')
    await expect(check('')).rejects.toThrow('There is no checkpoint')
    await expect(check(note, [])).rejects.toThrow('--checkpoint-key')
    new DatabaseSync(join(folder, 'trace.db')).exec('DELETE FROM events WHERE session_id = 1 AND seq > 2')
    expect(await check(note)).toBe(1)
    expect(printed.at(-1)).toMatch(/^Checkpoint at event \d+: the chain is now shorter: its end was cut\.$/)
  })

  test('invalid seal keys are refused', async () => {
    await aFewCalls()
    await expect(run(['verify', '--seal-key', '-'])).rejects.toThrow('trace seal --new')
    await expect(run(['verify', '--seal-key', join(folder, 'none')])).rejects.toThrow('cannot be read')
  })

  test('verify --head finds a rewritten trace', async () => {
    await aFewCalls()
    await run(['verify', '--json'])
    const { head } = JSON.parse(printed[0] ?? '') as { head: { seq: number; hash: string } }
    await call('alpha-1', T0 + 5, 'more')
    expect(await run(['verify', '--head', `${head.seq}:${head.hash}`])).toBe(0)
    expect(await run(['verify', '--head', `${head.seq}:${'0'.repeat(64)}`])).toBe(1)
    expect(await run(['verify', '--head', `99:${head.hash}`])).toBe(1)
  })

  test('prune removes older events, and reports it', async () => {
    await aFewCalls()
    expect(await run(['prune', '--older-than', '1h'])).toBe(0)
    expect(output()).toBe('Removed 1 session with 2 events.')
    expect((await store.sessions()).map(({ session }) => session)).toEqual(['beta-2'])
    expect(await run(['verify'])).toBe(0)
  })

  test.each([
    ['no subcommand', []],
    ['another subcommand', ['list']],
    ['a member of every object', ['constructor']],
    ['a session too many', ['show', 'alpha-1', 'beta-2']],
    ['a session where none is taken', ['ls', 'alpha-1']],
    ['no session', ['show']],
    ['a session that is not there', ['show', 'zeta']],
    ['a session that is not there', ['verify', 'zeta']],
    ['a name that begins nothing', ['show', '']],
    ['a number that is none', ['tail', '-n', 'ten']],
    ['no age', ['prune']],
    ['an age that is none', ['prune', '--older-than', '30']],
    ['a head that is none', ['verify', '--head', 'abc']],
  ])('refuses %s: %j', async (_, args) => {
    await aFewCalls()
    await expect(run(args)).rejects.toMatchObject(usage)
  })

  test('refuses a beginning that several sessions share', async () => {
    await call('same-1', T0, 'a')
    await call('same-2', T0, 'b')
    await expect(run(['show', 'same'])).rejects.toThrow('2 sessions start with "same"')
  })

  test.each([['ls'], ['prune', '--older-than', '1d']])('does not create a missing trace: %s', async (...args) => {
    const data = join(folder, 'elsewhere')
    await expect(run([...args, '--data', data])).rejects.toMatchObject({ code: 'SP_STORE_MISSING' })
    expect(existsSync(data)).toBe(false)
  })
})
