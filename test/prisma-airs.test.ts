/** Prisma AIRS as a person sets it up: a guard by its configuration, and what is kept of it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGuard } from '../src/cli/serve/start-guard.ts'
import { eventLines, paintFor } from '../src/cli/views/trace-view.ts'
import { openSqliteStore } from '../src/record/stores/sqlite.ts'
import type { StoredEvent } from '../src/record/stores/store.ts'
import { startAirsStandIn } from '../src/testing/index.ts'
import { KEY } from './support/airs-guard.ts'

const start = async (keys = '') => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-airs-'))
  const standIn = await startAirsStandIn({ profiles: ['strict'] })
  const config = join(folder, '.config', 'sallyport')
  await mkdir(config, { recursive: true })
  await writeFile(join(folder, 'key'), `${KEY}\n`)
  await writeFile(
    join(config, 'sallyport.yaml'),
    `guardians:\n  - { id: airs, scanner: prisma-airs, url: "${standIn.url}", profile: strict, apiKeyFile: ${join(folder, 'key')}${keys} }\n  - policy\n`,
  )
  const data = join(folder, 'data')
  const guard = await startGuard({ data, env: { HOME: folder }, home: folder, port: 0, log: () => undefined })
  let ended = false
  const stop = async (): Promise<void> => {
    if (!ended) await guard.stop()
    ended = true
  }
  onTestFinished(async () => {
    await stop()
    await standIn.close()
    await rm(folder, { recursive: true, force: true })
  })
  const hook = async (event: string, more: Record<string, unknown>): Promise<unknown> => {
    const response = await fetch(`${guard.url}/v1/hooks/claude-code`, {
      method: 'POST',
      headers: { authorization: `Bearer ${guard.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        session_id: 's',
        transcript_path: '/tmp/none.jsonl',
        cwd: folder,
        hook_event_name: event,
        ...more,
      }),
    })
    return response.json()
  }
  const events = async (): Promise<readonly StoredEvent[]> => {
    const store = openSqliteStore({ path: join(data, 'trace.db'), durability: 'process' })
    const all: StoredEvent[] = []
    try {
      for await (const event of store.events({ session: 's' })) all.push(event)
      return all
    } finally {
      await store.close()
    }
  }
  return { guard, standIn, hook, events, stop }
}

const prompt = (text: string) => ['UserPromptSubmit', { prompt: text }] as const

test('its blocks are effective, its findings are in the trace, its cost in the metrics', async () => {
  const { guard, standIn, hook, events } = await start()
  expect(await hook(...prompt('Please list the files.'))).not.toMatchObject({ decision: 'block' })
  expect(await hook(...prompt('Visit malware.example now.'))).toMatchObject({
    decision: 'block',
    reason: expect.stringMatching(/Prisma AIRS found malicious url/),
  })
  expect(await hook(...prompt('Visit malware.example now.'))).toMatchObject({ decision: 'block' })
  expect(standIn.violations).toEqual([])
  const metrics = await (await fetch(`${guard.url}/metrics`)).text()
  expect(metrics).toMatch(/sallyport_asking_requests_total\{guardian="airs"\} 2/)
  expect(metrics).toMatch(/sallyport_asking_saved_total\{guardian="airs",how="remembered"\} 1/)
  const [, blocked] = await events()
  expect(blocked).toMatchObject({
    type: 'HookDecision',
    body: {
      verdict: {
        decision: 'deny',
        reasonCodes: expect.arrayContaining(['airs:url_filtering_prompt']),
        guardians: expect.arrayContaining([
          expect.objectContaining({ guardian: 'airs', stage: 'evidence', outcome: 'deny' }),
        ]),
      },
      evidence: {
        findings: expect.arrayContaining([expect.objectContaining({ detector: 'airs', category: 'malicious_url' })]),
      },
    },
  })
})

test('an audit stops nothing; what was found is in the trace when the guard has ended', async () => {
  const { hook, events, stop } = await start(', mode: audit')
  expect(await hook(...prompt('Visit malware.example now.'))).not.toMatchObject({ decision: 'block' })
  await stop()
  const late = (await events()).filter(({ type }) => type === 'StepAudited')
  expect(late).toMatchObject([
    {
      body: {
        guardian: 'airs',
        outcome: 'deny',
        step: { kind: 'userMessage' },
        findings: [expect.objectContaining({ category: 'malicious_url' })],
      },
    },
  ])
  expect(late.flatMap((event) => eventLines(event, paintFor({ isTty: false, env: {} }), { session: false }))).toEqual([
    expect.stringMatching(/StepAudited {2}airs reported deny for userMessage \S+ {2}Prisma AIRS found malicious url/),
  ])
})
