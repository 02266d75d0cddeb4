import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serverStates, unwrapServers, wrapServers } from './client-text.ts'
import { wrap } from './wrapping.ts'
import type { Wrapping } from './wrapping.ts'

const WRAPPING: Wrapping = {
  node: '/usr/bin/node',
  main: '/opt/sp/dist/cli/main.js',
  data: '/home/me/data',
  home: '/home/me',
  configHome: '/home/me/.config/sallyport',
  isSystem: false,
}
const STRANGERS: Wrapping = { ...WRAPPING, node: '/tmp/node', main: '/tmp/cli/main.js' }

const wrapped = (text: string, path = 'c.json') => wrapServers(path, text, WRAPPING)
const statesOf = (text: string, path = 'c.json') =>
  Object.fromEntries(serverStates(path, text, WRAPPING).map(({ name, state }) => [name, state]))

const OURS = '"/usr/bin/node"'
const BEHIND = (name: string, ...inner: readonly string[]): string =>
  [
    '/opt/sp/dist/cli/main.js',
    'mcp',
    '--name',
    name,
    '--data',
    '/home/me/data',
    '--home',
    '/home/me',
    '--config-home',
    '/home/me/.config/sallyport',
    '--',
    ...inner,
  ]
    .map((arg) => JSON.stringify(arg))
    .join(', ')

/** Files of clients, and what they become. */
const FILES: readonly {
  readonly name: string
  readonly path: string
  readonly text: string
  readonly after: string
}[] = [
  {
    name: 'JSON on one line',
    path: 'c.json',
    text: '{"mcpServers":{"a":{"command":"npx","args":["-y","x"],"env":{"K":"v"}}},"other":1}',
    after: `{"mcpServers":{"a":{"command":${OURS},"args":[${BEHIND('a', 'npx', '-y', 'x')}],"env":{"K":"v"}}},"other":1}`,
  },
  {
    name: 'JSON without arguments, in a form of its own',
    path: 'c.json',
    text: '{\n\t"mcpServers" : {\n\t\t"a b" : { "env" : {}, "command" :  "x\\u0041" }\n\t}\n}\n',
    after: `{\n\t"mcpServers" : {\n\t\t"a b" : { "env" : {}, "args": [${BEHIND('a-b', 'xA')}], "command" :  ${OURS} }\n\t}\n}\n`,
  },
  {
    name: 'JSON on many lines without arguments, with line ends of Windows',
    path: 'c.json',
    text: '{\r\n  "servers": {\r\n    "a": {\r\n      "command": "x"\r\n    }\r\n  }\r\n}',
    after: `{\r\n  "servers": {\r\n    "a": {\r\n      "args": [${BEHIND('a', 'x')}],\r\n      "command": ${OURS}\r\n    }\r\n  }\r\n}`,
  },
  {
    name: 'remarks and trailing commas of VS Code',
    path: 'c.json',
    text: '{\n  // mine\n  "servers": { "a": { "type": "stdio", "args": [ /* none */ ], "command": "x", }, },\n}',
    after: `{\n  // mine\n  "servers": { "a": { "type": "stdio", "args": [${BEHIND('a', 'x')}], "command": ${OURS}, }, },\n}`,
  },
  {
    name: 'TOML',
    path: 'c.toml',
    text: "model = 'x' # mine\n\n[mcp_servers.a]\ncommand = 'npx' # why\nargs = ['-y', \"x\"]\n[mcp_servers.a.env]\nK = 'v'\n",
    after: `model = 'x' # mine\n\n[mcp_servers.a]\ncommand = ${OURS} # why\nargs = [${BEHIND('a', 'npx', '-y', 'x')}]\n[mcp_servers.a.env]\nK = 'v'\n`,
  },
  {
    name: 'TOML without arguments',
    path: 'c.toml',
    text: '[mcp_servers."a.b"]\n  command = "x"\n',
    after: `[mcp_servers."a.b"]\n  args = [${BEHIND('a.b', 'x')}]\n  command = ${OURS}\n`,
  },
  {
    name: 'TOML with tables in braces and dotted keys',
    path: 'c.toml',
    text: 'mcp_servers.a = { command = "x", startup_timeout_sec = 5 }\nmcp_servers.b.command = "y"\n',
    after: `mcp_servers.a = { args = [${BEHIND('a', 'x')}], command = ${OURS}, startup_timeout_sec = 5 }\nmcp_servers.b.args = [${BEHIND('b', 'y')}]\nmcp_servers.b.command = ${OURS}\n`,
  },
  {
    name: 'braces on several lines',
    path: 'c.toml',
    text: '[mcp_servers]\na = {\n  command = "x",\n}\n',
    after: `[mcp_servers]\na = {\n  args = [${BEHIND('a', 'x')}],\n  command = ${OURS},\n}\n`,
  },
]

describe.each(FILES)('$name', ({ path, text, after }) => {
  test('only commands and arguments change', () => {
    expect(wrapped(text, path).text).toBe(after)
  })

  test('a second time changes nothing, and all are shown as wrapped', () => {
    const again = wrapServers(path, after, WRAPPING)
    expect(again.text).toBe(after)
    expect(new Set(Object.values(statesOf(after, path)))).toEqual(new Set(['already-wrapped']))
  })

  test('taking the gateway out gives the bytes back, also after a change elsewhere', () => {
    const { originals } = wrapped(text, path)
    expect(unwrapServers(path, after, WRAPPING, originals).text).toBe(text)
    const remark = path.endsWith('.toml') ? '# more\n' : '\n\n'
    expect(unwrapServers(path, remark + after, WRAPPING, originals).text).toBe(remark + text)
  })

  test('without a note, every server has its command again', () => {
    const plain = unwrapServers(path, after, WRAPPING, []).text
    expect(wrapServers(path, plain, WRAPPING).text).toBe(
      wrapServers(path, text, WRAPPING).text.replace('/* none */', ''),
    )
  })
})

test('lists stay on their lines', () => {
  const text =
    '{\n  "mcpServers": {\n    "a": {\n      "command": "x",\n      "args": [\n        "1"\n      ]\n    }\n  }\n}'
  const { text: after } = wrapped(text)
  expect(after).toContain('"args": [\n        "/opt/sp/dist/cli/main.js",\n        "mcp",')
  expect(after).toContain('        "x",\n        "1"\n      ]\n    }')
  expect(JSON.stringify(JSON.parse(after), null, 2)).toBe(after)
})

test('servers of projects are wrapped, and named with their project', () => {
  const text = '{"projects":{"/p":{"mcpServers":{"a":{"command":"x"}}},"/q":{"allowedTools":[]}},"mcpServers":{}}'
  expect(wrapped(text).servers).toEqual([{ name: 'a', project: '/p', state: 'wrapped' }])
})

test.each<{ readonly name: string; readonly server: unknown; readonly state: object }>([
  {
    name: 'an address',
    server: { type: 'http', url: 'https://x.example/key' },
    state: { state: 'remote', why: 'x.example' },
  },
  { name: 'an address of Windsurf', server: { serverUrl: 'https://x.example' }, state: { state: 'remote' } },
  { name: 'nothing', server: {}, state: { state: 'unusable', why: 'it has neither a command nor an address' } },
  {
    name: 'a command and an address',
    server: { command: 'x', url: 'https://x.example' },
    state: { state: 'unusable' },
  },
  { name: 'a text', server: 'x', state: { state: 'unusable', why: 'it is no object' } },
  {
    name: 'a command that is a list',
    server: { command: ['npx', 'x'] },
    state: { state: 'unusable', why: 'its command is no text' },
  },
  { name: 'an empty command', server: { command: '' }, state: { state: 'unusable' } },
  { name: 'arguments that are a text', server: { command: 'x', args: '-y' }, state: { state: 'unusable' } },
  { name: 'an argument that is a number', server: { command: 'x', args: [1] }, state: { state: 'unusable' } },
  { name: 'a whole command line', server: { command: 'npx -y x' }, state: { state: 'unusable' } },
  { name: 'a path with a blank', server: { command: '/Applications/My App/x' }, state: { state: 'wrapped' } },
  { name: 'another type', server: { command: 'x', type: 'sse' }, state: { state: 'unusable' } },
  {
    name: 'code for the gateway',
    server: { command: 'x', env: { NODE_OPTIONS: '--import ./e.js' } },
    state: { state: 'unusable' },
  },
  {
    name: 'another guard for the gateway',
    server: { command: 'x', env: { SALLYPORT_CONFIG_HOME: '.' } },
    state: { state: 'unusable' },
  },
  { name: 'another home', server: { command: 'x', env: { HOME: '.' } }, state: { state: 'unusable' } },
  {
    name: 'another place for the gateway',
    server: { command: 'sallyport', args: ['mcp', '--', 'x'], env: { PATH: './bin' } },
    state: { state: 'unusable' },
  },
  {
    name: 'variables in a file',
    server: { command: 'x', envFile: '.env' },
    state: { state: 'unusable' },
  },
  {
    name: 'harmless variables',
    server: { command: 'x', env: { NODE_ENV: 'p', API_KEY: 'k', PATH: '/x' } },
    state: { state: 'wrapped' },
  },
])('a server with $name', ({ server, state }) => {
  const text = JSON.stringify({ mcpServers: { a: server } })
  const done = wrapped(text)
  expect(done.servers).toMatchObject([{ name: 'a', ...state }])
  expect(done.text === text).toBe(done.servers[0]?.state !== 'wrapped')
})

test('a member that is there twice in a server leaves the server, and one on the way to it is refused', () => {
  const twice = '{"mcpServers":{"a":{"command":"x","command":"y"},"b":{"command":"x"}}}'
  expect(wrapped(twice).servers).toMatchObject([
    { name: 'a', state: 'unusable' },
    { name: 'b', state: 'wrapped' },
  ])
  for (const text of [
    '{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}',
    '{"mcpServers":{},"mcpServers":{"a":{"command":"y"}}}',
  ])
    expect(() => wrapped(text)).toThrow('is here for the second time')
})

test('names that objects of JavaScript cannot have', () => {
  const server = '{"__proto__":{"command":"x"}}'
  const text = `{"mcpServers":${server},"projects":{"__proto__":{"mcpServers":{"a":{"command":"x"}}}}}`
  expect(wrapped(text)).toMatchObject({
    text,
    servers: [
      { name: '__proto__', state: 'unusable' },
      { name: 'a', state: 'unusable' },
    ],
  })
})

test.each(['{', '', '[', 'x', '{"mcpServers":{}} x', '['.repeat(100_000)])('broken JSON: %.20s', (text) => {
  expect(() => wrapped(text)).toThrow('c.json:1:')
})

test.each(['[]', '1', '{}', '{"mcpServers":[]}', '{"servers":[{"url":"x"}]}'])('a file without servers: %s', (text) => {
  expect(wrapped(text)).toEqual({ text, servers: [], originals: [] })
})

describe('what counts as wrapped', () => {
  const fileOf = ([command, ...args]: readonly string[]): string =>
    JSON.stringify({ mcpServers: { a: { command, args } } })
  const INNER = ['npx', 'x'] as const

  test.each([['--name', 'a'], ['--name=a', '--system'], [`--data=${WRAPPING.data}`], []])(
    'the documented command, written by hand, is left by both commands: %s %s',
    (...options) => {
      const text = fileOf(['sallyport', 'mcp', ...options, '--', ...INNER])
      expect(wrapped(text).text).toBe(text)
      expect(unwrapServers('c.json', text, WRAPPING, []).text).toBe(text)
      expect(statesOf(text)).toEqual({ a: 'already-wrapped' })
    },
  )

  test.each<{ readonly name: string; readonly line: readonly string[] }>([
    { name: 'another program of the same form', line: wrap(STRANGERS, 'a', INNER) },
    { name: 'another Node', line: wrap({ ...WRAPPING, node: './node' }, 'a', INNER) },
    { name: 'another data folder', line: wrap({ ...WRAPPING, data: './d' }, 'a', INNER) },
    { name: 'the other way to the guard', line: wrap({ ...WRAPPING, isSystem: true }, 'a', INNER) },
    { name: 'no data folder', line: [WRAPPING.node, WRAPPING.main, 'mcp', '--', ...INNER] },
  ])('$name does not, and is replaced', ({ line }) => {
    const text = fileOf(line)
    expect(statesOf(text)).toEqual({ a: 'elsewhere' })
    expect(JSON.parse(wrapped(text).text)).toEqual(JSON.parse(fileOf(wrap(WRAPPING, 'a', INNER))))
  })

  test.each<{ readonly name: string; readonly line: readonly string[] }>([
    {
      name: 'the documented command with another data folder',
      line: ['sallyport', 'mcp', '--data', './d', '--', ...INNER],
    },
    { name: 'another program called sallyport', line: ['./sallyport', 'mcp', '--', ...INNER] },
    { name: 'an unknown option', line: [WRAPPING.node, WRAPPING.main, 'mcp', '--unguarded', '--', ...INNER] },
    { name: 'another command', line: [WRAPPING.node, WRAPPING.main, 'explain', '--', ...INNER] },
    { name: 'no server', line: [WRAPPING.node, WRAPPING.main, 'mcp', '--'] },
  ])('$name does not, and goes behind the gateway as it is', ({ line }) => {
    const text = fileOf(line)
    expect(statesOf(text)).toEqual({ a: 'not-wrapped' })
    const whole = fileOf(wrap(WRAPPING, 'a', [line[0] ?? '', ...line.slice(1)]))
    expect(JSON.parse(wrapped(text).text)).toEqual(JSON.parse(whole))
  })

  test.each([
    { name: 'My Server', is: 'My-Server' },
    { name: '--data', is: 'data' },
    { name: '数', is: 'mcp' },
    { name: 'x'.repeat(200), is: 'x'.repeat(128) },
  ])('the name $name becomes one that the gateway takes', ({ name, is }) => {
    expect(wrap(WRAPPING, name, INNER)[4]).toBe(is)
  })
})

const server = fc.record(
  {
    command: fc.string({ minLength: 1 }).filter((text) => !/\s/.test(text)),
    args: fc.array(fc.string()),
    env: fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.string()),
    note: fc.anything({ withBigInt: false }).map((value) => JSON.stringify(value) ?? ''),
  },
  { requiredKeys: ['command'] },
)
const names = fc.string().filter((name) => name !== '__proto__')

test('any servers in any form: taking the gateway out restores the text', () => {
  const form = fc.constantFrom(undefined, 1, 2, '\t')
  fc.assert(
    fc.property(fc.dictionary(names, server), form, fc.constantFrom('\n', '\r\n'), (servers, indent, eol) => {
      const text = JSON.stringify({ a: 1, mcpServers: servers }, null, indent).replaceAll('\n', eol)
      const { text: after, originals } = wrapped(text)
      expect(new Set(Object.values(statesOf(after)))).toEqual(
        new Set(Object.keys(servers).length === 0 ? [] : ['already-wrapped']),
      )
      expect(unwrapServers('c.json', after, WRAPPING, originals).text).toBe(text)
    }),
  )
})

test('any servers in TOML: taking the gateway out restores the text', () => {
  const written = (text: string): string => JSON.stringify(text).replaceAll('\u007F', String.raw`\u007f`)
  fc.assert(
    fc.property(fc.dictionary(names, server), fc.boolean(), (servers, isBraced) => {
      const tables = Object.entries(servers).map(([name, { command, args }]) => {
        const pairs = [
          `command = ${written(command)}`,
          ...(args === undefined ? [] : [`args = [${args.map(written).join(',')}]`]),
        ]
        return isBraced
          ? `mcp_servers.${written(name)} = { ${pairs.join(', ')} }\n`
          : `[mcp_servers.${written(name)}]\n${pairs.join('\n')}\n`
      })
      const text = `model = 1 # x\n${tables.join('')}`
      const { text: after, originals } = wrapped(text, 'c.toml')
      expect(wrapped(after, 'c.toml').text).toBe(after)
      expect(unwrapServers('c.toml', after, WRAPPING, originals).text).toBe(text)
    }),
  )
})
