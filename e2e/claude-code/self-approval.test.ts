import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { runCli } from '../cli.ts'
import { personIn } from '../person.ts'
import { bash, say } from './mock-anthropic.ts'
import { makeStage, type Stage } from './stage.ts'
import { expectTraceOf } from './trace-of-run.ts'

/**
 * The self-approval story: everything that a program of the person's own user can do beside the rules, such as one that the
 * analysis has not seen. None of it lets the call through; a person's signature does, once.
 */

const ASKS = 'rules:\n  delete-outside: ask\n'

const ROW = z.object({ id: z.string(), body: z.string() })

const rowsOf = (db: DatabaseSync): readonly z.infer<typeof ROW>[] =>
  db
    .prepare('SELECT id, body FROM approvals')
    .all()
    .map((row) => ROW.parse(row))

/** Writes every approval as granted, in any form that a guard before signatures would have taken. */
const forgeRows = (data: string): void => {
  const db = new DatabaseSync(join(data, 'approvals.db'))
  const until = Date.now() + 3_600_000
  for (const { id, body } of rowsOf(db)) {
    const granted = {
      ...(JSON.parse(body) as object),
      state: 'granted',
      standing: true,
      expiresAt: until,
      answer: { at: Date.now(), by: 'ada', reason: '', via: 'sallyport' },
    }
    db.prepare('UPDATE approvals SET state = ?, expires_at = ?, body = ? WHERE id = ?').run(
      'granted',
      until,
      JSON.stringify(granted),
      id,
    )
  }
  const rule = { rule: 'delete-outside', at: Date.now(), until, by: 'ada', reason: 'x' }
  db.prepare('INSERT OR REPLACE INTO disabled_rules (rule, body) VALUES (?, ?)').run(rule.rule, JSON.stringify(rule))
  db.close()
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Every text in the data folder that might be a token. */
const tokensOf = (data: string): readonly string[] =>
  filesBelow(data)
    .filter((path) => !/\.(?:db(?:-\w+)?|log|sock)$/.test(path))
    .map((path) => readFileSync(path, 'utf8').trim())

const post = async (url: string, token: string, body: object): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

/** Posts grants with every token there is; which statuses came back. */
const postGrants = async ({ guard, world }: Stage, ids: readonly string[]): Promise<readonly number[]> => {
  const answers = [
    { answer: 'approve', by: 'ada' },
    { answer: 'approve', statement: {}, signature: {} },
    {
      answer: 'approve',
      statement: { act: 'approve', until: Date.now() + 60_000 },
      signature: { kind: 'passphrase', key: 'x', signature: '' },
    },
  ]
  const statuses: number[] = []
  for (const token of ['', ...tokensOf(world.data)].filter((one) => /^[\x20-\x7e]*$/.test(one)))
    for (const id of ids)
      for (const body of answers) statuses.push(await post(`${guard.url}/v1/approvals/${id}`, token, body))
  return statuses
}

/** What an agent's program does, with the rights of the user that both run as. */
const attack = async (stage: Stage): Promise<void> => {
  const { world, guard } = stage
  const { data } = world
  const db = new DatabaseSync(join(data, 'approvals.db'))
  const ids = rowsOf(db).map(({ id }) => id)
  db.close()
  expect(ids.length).toBeGreaterThan(0)
  for (const status of await postGrants(stage, ids)) expect(status).toBeGreaterThanOrEqual(400)
  // Its own copy of the guard's folder, with a key of its own enrolled in it by the real command, under another name.
  const copy = join(world.root, 'copy')
  cpSync(data, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  const take = (...names: readonly string[]): void => {
    for (const name of names) rmSync(join(copy, name), { recursive: true, force: true })
  }
  take('keys.json', 'trace.db', 'trace.db-wal', 'trace.db-shm')
  const place = { env: world.env, cwd: world.project }
  const eve = personIn(place, copy, ['the', 'agents', 'own', 'words'].join(' '))
  // A folder that has had keys takes no first one.
  expect((await eve.enrols()).code).not.toBe(0)
  take('signing-keys', 'accepted.db', 'accepted.db-wal', 'accepted.db-shm')
  expect(await eve.enrols()).toMatchObject({ code: 0 })
  for (const id of ids) await eve.runs('approvals', 'approve', id, '--by', 'ada', '--for', '60m')
  // The CLI itself, without a terminal and outside of the variables that tell of an agent.
  for (const id of ids) expect((await runCli(['approvals', 'approve', id, '--data', data], place)).code).toBe(2)
  // Rows of its own, and those that its own key has signed, written where the guard reads them.
  forgeRows(data)
  expect(guard.isRunning()).toBe(true)
}

const stealRows = (stage: Stage): void => {
  const copy = join(stage.world.root, 'copy')
  const [from, to] = [copy, stage.world.data].map((folder) => new DatabaseSync(join(folder, 'approvals.db')))
  for (const { id, body } of from === undefined ? [] : rowsOf(from))
    to?.prepare('UPDATE approvals SET state = ?, body = ? WHERE id = ?').run('granted', body, id)
  from?.close()
  to?.close()
}

/** Puts the agent's own list of keys in place of the person's; gives what puts it back. */
const stealKeys = (stage: Stage): (() => void) => {
  const own = join(stage.world.data, 'keys.json')
  const kept = join(stage.world.root, 'kept.json')
  copyFileSync(own, kept)
  copyFileSync(join(stage.world.root, 'copy', 'keys.json'), own)
  return () => copyFileSync(kept, own)
}

test('an agent that reads and writes the data folder of the guard cannot approve its own call; a person can, once', async () => {
  const stage = await makeStage({ config: ASKS })
  expect(await stage.person.enrols()).toMatchObject({ code: 0 })
  const folder = join(stage.world.home, 'papers')
  const paper = join(folder, 'thesis.md')
  const restore = (): void => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(paper, 'ten years of work\n')
  }
  restore()
  const command = `rm -rf ${folder}`
  let putBack = (): void => undefined
  const run = await stage.run({
    turns: [
      bash(command),
      bash(command, () => attack(stage)),
      bash(command, async () => stealRows(stage)),
      bash(command, async () => {
        stealRows(stage)
        putBack = stealKeys(stage)
      }),
      bash(command, async () => {
        expect(existsSync(paper)).toBe(true)
        putBack()
        expect(await stage.person.runs('approvals', 'approve', 'last', '--by', 'ada')).toMatchObject({ code: 0 })
      }),
      bash(command, async () => {
        expect(existsSync(paper)).toBe(false)
        restore()
      }),
      say('DONE'),
    ],
  })
  expect(existsSync(paper)).toBe(true)
  const decisions = await expectTraceOf(stage, run)
  const calls = decisions.filter(({ event }) => event === 'PreToolUse').map(({ decision }) => decision)
  expect(calls).toEqual(['ask', 'ask', 'ask', 'ask', 'allow', 'ask'])
  const events = await stage.trace(run.session)
  expect(events.filter(({ type }) => type === 'ApprovalUsed')).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'ApprovalRefused').length).toBeGreaterThan(0)
  const own = (await stage.trace('guard')).map(({ type }) => type)
  expect(own).toContain('KeysRefused')
}, 240_000)

test('control: before a key is enrolled, the terminal and the reason for the agent both describe what to do', async () => {
  const stage = await makeStage({ config: ASKS })
  const folder = join(stage.world.home, 'papers')
  await stage.world.write(join(folder, 'thesis.md'), 'ten years of work\n')
  let refused = ''
  const run = await stage.run({
    turns: [
      bash(`rm -rf ${folder}`),
      bash(`rm -rf ${folder}`, async () => {
        const { code, out } = await stage.person.runs('approvals', 'approve', 'last')
        expect(code).toBe(2)
        refused = out
      }),
      say('DONE'),
    ],
  })
  expect(refused).toContain('SP_NO_KEY')
  expect(refused).toContain('sallyport keys add passphrase')
  expect(existsSync(join(folder, 'thesis.md'))).toBe(true)
  expect(JSON.stringify(run.requests.at(-1)?.messages)).toContain('sallyport keys add passphrase')
})
