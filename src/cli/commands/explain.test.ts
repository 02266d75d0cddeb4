import { expect, test } from 'vitest'
import { explain } from './explain.ts'

const decisions = async (lines: readonly object[]): Promise<readonly unknown[]> => {
  const out: string[] = []
  await explain.run(['--jsonl'], {
    out: (text) => out.push(text),
    err: () => undefined,
    stdin: async () => lines.map((line, id) => JSON.stringify({ id, ...line })).join('\n'),
    env: {},
    cwd: '/',
    home: '/home/dev',
    isTty: false,
    signal: new AbortController().signal,
  })
  return out.map((line) => (JSON.parse(line) as Readonly<Record<string, unknown>>)['decision'])
}

const settingsOf = (home: string): object => ({
  tool: 'Write',
  input: { file_path: `${home}/.claude/settings.json`, content: '{}' },
})

test.each([
  { name: 'the usual home', lines: [settingsOf('/home/user')] },
  { name: 'a named home', lines: [{ ...settingsOf('/home/ann'), env: { HOME: '/home/ann' }, cwd: '/home/ann/app' }] },
  { name: 'a home on Windows', lines: [{ ...settingsOf('C:/Users/me'), cwd: 'C:\\Users\\me\\app' }] },
  {
    name: 'several homes in one run',
    lines: [settingsOf('/home/user'), { ...settingsOf('/home/ann'), env: { HOME: '/home/ann' } }],
  },
])("the guard's own files lie in the home of the line: $name", async ({ lines }) => {
  expect(await decisions(lines)).toEqual(lines.map(() => 'deny'))
})
