import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { KEY } from '../../../test/support/airs-guard.ts'
import { hasRuntime, modelFolder } from '../../../test/support/local-model.ts'
import { lifeCycleFaults, startAicebergStandIn, startAirsStandIn, startJudgeStandIn } from '../../testing/index.ts'
import { run } from '../run.ts'

const setUp = async (guardians: (url: string) => string) => {
  const home = await mkdtemp(join(tmpdir(), 'sallyport-guardians-'))
  const standIn = await startAirsStandIn({ profiles: ['strict'] })
  onTestFinished(async () => {
    await standIn.close()
    await rm(home, { recursive: true, force: true })
  })
  await mkdir(join(home, '.config', 'sallyport'), { recursive: true })
  await writeFile(join(home, '.config', 'sallyport', 'sallyport.yaml'), guardians(standIn.url))
  const out: string[] = []
  const code = (...args: readonly string[]) =>
    run(['guardians', ...args], {
      out: (text) => out.push(text),
      err: (text) => out.push(text),
      stdin: async () => '',
      env: { HOME: home, PANW_AI_SEC_API_KEY: KEY },
      cwd: home,
      home,
      isTty: false,
      signal: new AbortController().signal,
    })
  return {
    standIn,
    code,
    said: () =>
      out
        .join('\n')
        .replaceAll(/in \d+ ms/g, 'in N ms')
        .replaceAll(/R[0-9a-f-]{36}/g, 'R-ID'),
  }
}

const airs = (url: string, profile: string, more = '') =>
  `{ id: ${profile}-airs, scanner: prisma-airs, url: "${url}", profile: ${profile}, deadlineMs: 10000, retries: 0${more} }`

test('reports of each whether it answered, and why not', async () => {
  const { code, said, standIn } = await setUp(
    (url) =>
      `guardians:\n  - ${airs(url, 'strict')}\n  - ${airs(url, 'other')}\n  - { id: gone, url: "http://127.0.0.1:9/", retries: 0 }\n`,
  )
  expect(await code('check')).toBe(1)
  expect(said()).toBe(
    [
      'ok    strict-airs  allow in N ms: Prisma AIRS report R-ID',
      'FAIL  other-airs   invalid in N ms: it answered with status 400: AI profile not found: other',
      '                   Check that address, key and profile belong to this guardian.',
      'FAIL  gone         unreachable in N ms: ECONNREFUSED',
      '                   Check that it is running, that its address is right, and whether a proxy is in between.',
    ].join('\n'),
  )
  expect(standIn.received.map(({ body }) => (JSON.parse(body.toString()) as { contents: unknown }).contents)).toEqual(
    [1, 2].map(() => [{ prompt: 'Good morning.' }]),
  )
})

test('one that only observes and cannot be asked is marked as such', async () => {
  const aiceberg =
    '{ id: ice, scanner: aiceberg, url: "http://127.0.0.1:9", useCaseId: u, mode: observe, retries: 0, apiKeyEnv: PANW_AI_SEC_API_KEY }'
  const { code, said } = await setUp(() => `guardians: [${aiceberg}]\n`)
  expect(await code('check')).toBe(1)
  expect(said()).toBe('FAIL  ice  allow in N ms: Aiceberg gave no verdict: ECONNREFUSED')
})

test.each([
  { name: 'a prompt', more: '' },
  { name: 'a call', more: ', kinds: [toolCallRequest]' },
])('what it opens at Aiceberg is closed: $name', async ({ more }) => {
  const ice = await startAicebergStandIn({ apiKey: KEY })
  onTestFinished(() => ice.close())
  const { code, said } = await setUp(
    () =>
      `guardians:\n  - { id: ice, scanner: aiceberg, url: "${ice.url}", useCaseId: u, apiKeyEnv: PANW_AI_SEC_API_KEY${more} }\n`,
  )
  expect([await code('check'), said()]).toEqual([
    0,
    expect.stringMatching(/^ok {4}ice {2}allow in N ms: Aiceberg event/),
  ])
  expect(ice.told).toHaveLength(3)
  expect(lifeCycleFaults(ice.told)).toEqual([])
})

test('a judge is asked about a harmless call', async () => {
  const judge = await startJudgeStandIn()
  onTestFinished(() => judge.close())
  const { code, said } = await setUp(
    () => `guardians: [{ id: judge, scanner: judge, protocol: ollama, model: m, url: "${judge.url}" }]\n`,
  )
  expect([await code('check'), said()]).toEqual([0, 'ok    judge  allow in N ms: The judge answered asked.'])
  expect(judge.violations).toEqual([])
  expect(judge.received).toHaveLength(1)
})

test.skipIf(!hasRuntime)('a text model is loaded, and classifies a harmless text', async () => {
  const [good, bad] = ['disregard', 'morning'].map((word) => modelFolder({ words: [word] }))
  const model = (id: string, folder = '') =>
    `  - { id: ${id}, scanner: local-model, model: ${folder}, deadlineMs: 60000 }\n`
  const { code, said } = await setUp(() => `guardians:\n${model('good', good)}${model('odd', bad)}`)
  expect(await code('check')).toBe(0)
  expect(said()).toMatch(/^ok {4}good {2}allow in N ms\nok {4}odd {3}deny in N ms: A text model/)
})

test('one alone, as JSON', async () => {
  const { code, said } = await setUp((url) => `guardians:\n  - ${airs(url, 'strict')}\n  - ${airs(url, 'other')}\n`)
  expect(await code('check', 'strict-airs', '--json')).toBe(0)
  expect(JSON.parse(said())).toMatchObject({ ok: true, guardians: [{ id: 'strict-airs', ok: true, outcome: 'allow' }] })
})

test('one for some kinds alone gets one of them', async () => {
  const { code, standIn } = await setUp((url) => `guardians: [${airs(url, 'strict', ', kinds: [toolCallResult]')}]\n`)
  expect(await code('check')).toBe(0)
  expect(standIn.received[0]?.body.toString()).toContain('"output":"Good morning."')
})

test.each([
  { name: 'nobody', args: ['check'], config: '{}\n', code: 0, says: /No remote guardian is configured/ },
  { name: 'an unknown guardian', args: ['check', 'x'], config: '{}\n', code: 2, says: /there is no guardian "x"/ },
  { name: 'something else', args: [], config: '{}\n', code: 2, says: /guardians check/ },
  {
    name: 'a missing profile',
    args: ['check'],
    config: 'guardians: [{ id: a, scanner: prisma-airs }]\n',
    code: 2,
    says: /profile must be given/,
  },
])('asked for $name', async ({ args, config, code: expected, says }) => {
  const { code, said } = await setUp(() => config)
  expect(await code(...args)).toBe(expected)
  expect(said()).toMatch(says)
})
