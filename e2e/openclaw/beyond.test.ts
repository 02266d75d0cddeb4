/** What goes beyond a turn: skills and plugins that are put in, jobs, and subagents. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { entryPaths } from './entry-paths.ts'
import { TOPIC } from './guard-config.ts'
import { runHost } from './host-cli.ts'
import { caseMark, writeScript } from './scripted-model.ts'
import { skillArchive } from './skill-archive.ts'
import { openStage } from './stage.ts'

const stage = await openStage()
const { gateway, rpc } = stage

beforeAll(() => stage.guardWith({}))

/** Kinds of the steps that a session's trace holds, with what was decided. */
const stepsOf = async (session: string): Promise<string> =>
  JSON.stringify((await stage.trace(session)).map(({ type, body }) => ({ type, body })))

describe('installations', () => {
  const UPLOAD = z.object({ uploadId: z.string() })

  const install = async (slug: string, text: string): Promise<unknown> => {
    const archive = skillArchive(slug, text)
    const begun = { kind: 'skill-archive', slug, sizeBytes: archive.length }
    const { uploadId } = UPLOAD.parse(await rpc.call('skills.upload.begin', begun))
    await rpc.call('skills.upload.chunk', { uploadId, offset: 0, dataBase64: archive.toString('base64') })
    await rpc.call('skills.upload.commit', { uploadId })
    return rpc.call('skills.install', { source: 'upload', uploadId, slug })
  }
  const isThere = (slug: string): boolean => existsSync(join(gateway.workspace, 'skills', slug))

  test('a skill with a denied text is not installed, and the caller receives the reason', async () => {
    await expect(install('of-topic', `Speak of ${TOPIC}.`)).rejects.toThrow(/refuses this topic/)
    expect(isThere('of-topic')).toBe(false)
  })

  test('any other skill is installed', async () => {
    await install('of-pumpkins', 'Speak of pumpkins.')
    expect(isThere('of-pumpkins')).toBe(true)
  })

  test('a denied plugin is not installed', async () => {
    const folder = join(gateway.root, 'strange')
    await mkdir(folder)
    const manifest = { id: TOPIC, name: TOPIC, configSchema: { type: 'object', additionalProperties: false } }
    const openclaw = { extensions: ['./index.js'] }
    await writeFile(join(folder, 'openclaw.plugin.json'), JSON.stringify(manifest))
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ name: TOPIC, version: '1.0.0', type: 'module', openclaw }),
    )
    await writeFile(join(folder, 'index.js'), `export default { id: '${TOPIC}', register() {} }`)
    const run = await runHost(['plugins', 'install', folder, '--force'], gateway.env, gateway.workspace)
    expect(run.code).not.toBe(0)
    expect(run.out + run.err).toMatch(/refuses this topic/)
  })

  test('both are recorded in a separate session of the trace', async () => {
    const kept = await stepsOf('openclaw:install')
    expect(kept).toContain('of-pumpkins')
    expect(kept).toMatch(/"decision":"deny"/)
  })
})

describe('jobs', () => {
  const JOB = z.looseObject({ id: z.string() })

  const run = async (message: string): Promise<string> => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const payload = { kind: 'agentTurn', message }
    const job = {
      name: stage.freshWord(),
      schedule: { kind: 'at', at },
      sessionTarget: 'isolated',
      payload,
      wakeMode: 'now',
    }
    const { id } = JOB.parse(await rpc.call('cron.add', job))
    const done = rpc.waitFor(
      ({ event, payload: told }) =>
        event === 'cron' && JSON.stringify(told).includes(id) && JSON.stringify(told).includes('finished'),
      60_000,
    )
    await rpc.call('cron.run', { id, mode: 'force' })
    await done
    return id
  }

  test('a job with a denied message does not start a run', async () => {
    const word = stage.freshWord()
    await run(`Speak of ${TOPIC} and ${word}.`)
    expect((await stage.tracesOf(word)).model).toBe(false)
  })

  test('any other job does, and its creation and start are in the trace', async () => {
    const word = stage.freshWord()
    const id = await run(`Speak of pumpkins and ${word}.`)
    expect((await stage.tracesOf(word)).model).toBe(true)
    const kept = await stepsOf(`openclaw:cron:${id}`)
    expect([kept.includes('"action":"added"'), kept.includes('"action":"started"')]).toEqual([true, true])
  })
})

describe('subagents', () => {
  const spawned = async (task: string, said: string) => {
    const child = `c${stage.freshWord()}`
    await writeScript(gateway.model, child, [{ say: said }])
    const talk = stage.talk(entryPaths.http)
    const call = { tool: 'sessions_spawn', input: { task: `${task} (${caseMark(child)})`, label: 'helper' } }
    const turn = await talk.turn('Have it done.', { calls: [call] }, { say: 'It is being done.' })
    return { talk, turn }
  }

  test('a denied task is not spawned, and the parent agent continues', async () => {
    const word = stage.freshWord()
    const { talk, turn } = await spawned(`Speak of ${TOPIC} and ${word}.`, 'SEEN')
    expect(JSON.stringify(turn.requests.at(-1)?.body.messages)).toMatch(/refuses this topic/)
    expect(JSON.stringify(turn.requests.at(-1)?.body.messages)).not.toContain('childSessionKey')
    // The model is told why, and can say so; what was refused stands in no later request.
    expect(turn.shown.last).toBe('It is being done.')
    const next = await talk.turn('And something else?', { say: 'With pleasure.' })
    expect(next.shown.last).toBe('With pleasure.')
    expect(JSON.stringify(next.requests.map(({ body }) => body))).not.toContain(word)
  })

  test('its start and end are in the trace; its result is evaluated, and does not count as a message of the person', async () => {
    const word = stage.freshWord()
    const { talk } = await spawned('Look for pumpkins.', `There are ${word}.`)
    await expect.poll(() => stepsOf(talk.sessionKey), { timeout: 30_000, interval: 1_000 }).toMatch(/subagentStop/)
    const steps = (await stage.trace(talk.sessionKey)).map((event) => JSON.stringify(event))
    expect(steps.some((step) => step.includes('subagentStart'))).toBe(true)
    const persons = steps.filter((step) => step.includes('"userMessage"'))
    expect(persons.some((step) => step.includes('Have it done.'))).toBe(true)
    expect(persons.filter((step) => step.includes('Inter-session message'))).toEqual([])
    await expect
      .poll(() => stepsOf(`${talk.sessionKey}#sallyport-context`), { timeout: 30_000, interval: 1_000 })
      .toMatch(new RegExp(`Inter-session message.*${word}`, 's'))
  })
})

describe('parts of an answer in the history besides its text', () => {
  const CONFIG = z.looseObject({
    models: z.looseObject({
      providers: z.looseObject({ scripted: z.looseObject({ models: z.array(z.looseObject({})) }) }),
    }),
  })
  /** The host keeps the thoughts of a model only where it is told that the model has some. */
  const setThinking = async (reasoning: boolean): Promise<void> => {
    const config = CONFIG.parse(JSON.parse(await readFile(join(gateway.root, 'openclaw.json'), 'utf8')))
    const { scripted } = config.models.providers
    scripted.models = scripted.models.map((model) => ({ ...model, reasoning }))
    const { hash } = z.looseObject({ hash: z.string() }).parse(await rpc.call('config.get', {}))
    await rpc.call('config.apply', { raw: JSON.stringify(config), baseHash: hash })
  }
  beforeAll(() => setThinking(true))
  afterAll(() => setThinking(false))

  /** Where the host keeps conversations for later turns; its own log of runs beside them passes no hook. */
  const kept = async (text: string): Promise<readonly string[]> =>
    (await stage.tracesOf(text)).state.flatMap(({ column = '' }) => (column.startsWith('trajectory_') ? [] : [column]))

  test.each([
    {
      name: 'arguments of a refused call',
      answer: (text: string) => ({ calls: [{ tool: 'exec', input: { command: `echo ${text}` } }] }),
    },
    {
      name: 'a thought',
      answer: (text: string) => ({ think: `I see ${text}.`, calls: [{ tool: 'exec', input: { command: 'true' } }] }),
    },
  ])('$name: removed from the next turn if it is denied', async ({ answer }) => {
    const talk = stage.talk(entryPaths.http)
    const [refused, allowed] = [stage.freshWord(), stage.freshWord()]
    await talk.turn('Go on.', answer(`${TOPIC}-${refused}`), { say: 'No more.' })
    await talk.turn('Go on.', answer(`pumpkin-${allowed}`), { say: 'No more.' })
    const next = await talk.turn('And now?', { say: 'Nothing.' })
    const read = JSON.stringify(next.requests.map(({ body }) => body))
    expect(read).not.toContain(refused)
    expect([await kept(refused), (await kept(allowed)).length > 0]).toEqual([[], true])
  })
})
