import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Command, ExitCode, Io } from '../io/io.ts'
import { calibrate } from './calibrate.ts'
import { explain } from './explain.ts'
import { scan } from './scan.ts'

const TOKEN = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('_')

interface Place {
  readonly home: string
  write(name: string, text: string): void
  run(command: Command, args: readonly string[], stdin?: string): Promise<{ code: ExitCode; out: string; err: string }>
}

const makePlace = (): Place => {
  const home = mkdtempSync(join(tmpdir(), 'sp-measure-'))
  onTestFinished(() => {
    rmSync(home, { recursive: true, force: true })
  })
  return {
    home,
    write(name, text) {
      writeFileSync(join(home, name), text)
    },
    async run(command, args, stdin = '') {
      const said = { out: '', err: '' }
      const io: Io = {
        out: (text) => (said.out += `${text}\n`),
        err: (text) => (said.err += `${text}\n`),
        stdin: async () => stdin,
        env: { SALLYPORT_CONFIG_HOME: home },
        cwd: home,
        home,
        isTty: false,
        signal: new AbortController().signal,
      }
      return { code: await command.run(args, io), ...said }
    },
  }
}

test('scan reports where and what, and never shows it', async () => {
  const place = makePlace()
  place.write('a.txt', `one\n\n  key ${TOKEN}\nmail ann@acme.org\n`)
  place.write('b.txt', 'nothing\n')
  expect(await place.run(scan, ['a.txt', 'b.txt'])).toEqual({
    code: 1,
    out: 'a.txt:3:7 secret:github-token critical\na.txt:4:6 pii:email low\n',
    err: '2 findings\n',
  })
  expect(await place.run(scan, ['b.txt'])).toEqual({ code: 0, out: '', err: '0 findings\n' })
  expect((await place.run(scan, [], `x\n${TOKEN}`)).out).toBe('stdin:2:1 secret:github-token critical\n')
})

test.each([
  { name: 'a missing file', args: ['gone.txt'], says: 'gone.txt cannot be read (ENOENT)' },
  { name: 'an unknown channel', args: ['--channel', 'mail'], says: '--channel is one of user, tool' },
  { name: 'files beside --jsonl', args: ['--jsonl', 'a'], says: '--jsonl reads standard input' },
])('scan refuses $name', async ({ args, says }) => {
  await expect(makePlace().run(scan, args)).rejects.toThrow(says)
})

test('explain shows the effects of a command, with their source underlined', async () => {
  const { code, out } = await makePlace().run(explain, ['--packs', 'baseline', 'ls && F=-rf; rm $F /'])
  expect(code).toBe(1)
  const lines = out.split('\n')
  expect(lines[0]).toMatch(/^deny {2}This would delete the root/)
  expect(lines.slice(1, 3)).toEqual(['  ls && F=-rf; rm $F /', '               ^^^^^^^'])
  expect(out).toContain('\nrules\n  delete-root')
  expect(out).toContain('\n  fs.delete  / (root)  by rm, recursive, force\n')
})

test('explain uses the person’s configuration, and shows what would be enforced where that only observes', async () => {
  const place = makePlace()
  expect((await place.run(explain, ['git reset --hard'])).code).toBe(1)
  place.write('sallyport.yaml', 'rules: { git-discard: off }\n')
  expect((await place.run(explain, ['git reset --hard'])).code).toBe(0)
  expect((await place.run(explain, ['--packs', 'baseline', 'git reset --hard'])).code).toBe(1)
  place.write('sallyport.yaml', 'mode: observe\n')
  expect((await place.run(explain, [], 'git reset --hard\n')).code).toBe(1)
})

const decided = (out: string): readonly string[] =>
  out
    .trim()
    .split('\n')
    .map((line) => {
      const { decision, sideEffect } = JSON.parse(line) as { decision: string; sideEffect: string }
      return `${decision} ${sideEffect}`
    })

test('what the host showed of a tool changes the decision; what the tool claims does not', async () => {
  const call = { tool: 'mcp__x__weather', input: { city: 'Bonn' } }
  const shown = (definition: object): object => ({ ...call, id: 2, tools: [{ name: 'weather', ...definition }] })
  const lines = [
    { ...call, id: 1 },
    shown({ description: 'Returns the forecast for a city.' }),
    shown({ description: 'Returns the forecast for a city.', annotations: { readOnlyHint: false } }),
    shown({ description: 'Sends an email to a customer.', annotations: { readOnlyHint: true } }),
  ]
  const stdin = lines.map((line) => JSON.stringify(line)).join('\n')
  const { out } = await makePlace().run(explain, ['--jsonl', '--packs', 'baseline,read-only'], stdin)
  expect(decided(out)).toEqual(['deny external_write', 'allow read_only', 'deny external_write', 'deny communication'])
})

test('the person’s settings for a tool override its server’s claims', async () => {
  const place = makePlace()
  place.write(
    'sallyport.yaml',
    "packs: [baseline, read-only]\ntools: { 'mcp__x__*': { sideEffect: read_only }, mcp__y__get: { sideEffect: financial } }\n",
  )
  const tools = [{ name: 'get', description: 'Deletes all.' }]
  const stdin = ['mcp__x__get', 'mcp__y__get', 'mcp__z__get']
    .map((tool, id) => JSON.stringify({ id, tool, tools }))
    .join('\n')
  const { out } = await place.run(explain, ['--jsonl'], stdin)
  expect(decided(out)).toEqual(['allow read_only', 'deny financial', 'deny external_write'])
})

test.each([
  { name: 'no share', args: ['a.txt'], says: '--false-alarms takes a share' },
  { name: 'a share of nothing', args: ['a.txt', '--false-alarms', '0'], says: '--false-alarms takes a share' },
  { name: 'no file', args: ['--false-alarms', '0.1'], says: 'takes one file' },
  { name: 'an empty file', args: ['empty.txt', '--false-alarms', '0.1'], says: 'contains no text' },
  { name: 'a broken line', args: ['broken.txt', '--false-alarms', '0.1'], says: 'Line 2: text must be text' },
])('calibrate refuses $name', async ({ args, says }) => {
  const place = makePlace()
  place.write('empty.txt', '\n\n')
  place.write('broken.txt', 'a text\n{"txt":1}\n')
  await expect(place.run(calibrate, args)).rejects.toThrow(says)
})

test('calibrate prints thresholds, or writes them and leaves the rest as it was', async () => {
  const place = makePlace()
  place.write(
    'benign.jsonl',
    '{"text":"Please book a table for two.","channel":"user"}\n{"text":"The table is booked."}\n',
  )
  place.write('sallyport.yaml', '# mine\nmode: observe # for now\n')
  const printed = await place.run(calibrate, ['benign.jsonl', '--false-alarms', '0.01', '--channel', 'tool'])
  expect(printed.out).toMatch(
    /^thresholds:\n {2}injection:\n {4}user: [\d.]+ # flags 0 of 1 text; the current [\d.]+ flags [01]\n {4}tool: [\d.]+ # flags 0 of 1 text; the current [\d.]+ flags [01]\n$/,
  )
  expect(printed.err).toContain('1 text cannot show a share of 0.01; that takes at least 100')
  expect(printed.err).toContain('Put this into your sallyport.yaml')
  expect(readFileSync(join(place.home, 'sallyport.yaml'), 'utf8')).toBe('# mine\nmode: observe # for now\n')
  await place.run(calibrate, ['benign.jsonl', '--false-alarms', '0.01', '--channel', 'tool', '--write'])
  expect(readFileSync(join(place.home, 'sallyport.yaml'), 'utf8')).toMatch(
    /^# mine\nmode: observe # for now\nthresholds:\n {2}injection:\n {4}user: [\d.]+\n {4}tool: [\d.]+\n$/,
  )
})
