import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_EFFECT_BUDGET } from './engine/analysis.ts'
import { analyseEffects } from './analyse-effects.ts'
import { effectNotation } from './effect-notation.fixture.ts'
import { GUARD, WORLD, analyse, callOf, effectsOf, effectsOfTool } from './fixture.ts'
import { createGivenWorld } from './world/given-world.ts'
import { createRecordedWorld } from './world/record-questions.ts'

const options = { world: WORLD, guard: GUARD, budget: DEFAULT_EFFECT_BUDGET }

const shellText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'rm -rf / ~ $X ${X:-y} $(echo a) `b` | || && ; & > >> < <<EOF \n EOF " \' \\ { } ( ) [[ ]] if then fi for in do done case esac while eval bash -c python3 -c curl | sh f() {a,b} *.ts $((1+1)) <(x) >(y) !'.split(
          ' ',
        ),
      ),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(' '))

const anyText = fc.oneof(shellText, fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ maxLength: 200 }))

describe('laws', () => {
  test('it never throws, spans are inside the text, and the same call gives the same analysis', () => {
    fc.assert(
      fc.property(anyText, (command) => {
        const analysis = analyse(command)
        for (const { span } of analysis.effects) {
          expect(span?.pointer).toBe('/input/command')
          expect(span?.start).toBeGreaterThanOrEqual(0)
          expect(span?.end).toBeGreaterThanOrEqual(span?.start ?? 0)
          expect(span?.end).toBeLessThanOrEqual(command.length)
        }
        expect(analyse(command)).toEqual(analysis)
      }),
      { numRuns: 400 },
    )
  })

  test('inline code of any kind never throws', () => {
    const languages = ['python3 -c', 'node -e', 'perl -e', 'ruby -e', 'php -r', 'awk']
    fc.assert(
      fc.property(fc.constantFrom(...languages), fc.string({ maxLength: 120 }), (language, code) => {
        expect(analyse(`${language} '${code.replaceAll("'", '')}'`).exhausted).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  test('a replay of the recorded answers gives the same analysis', () => {
    for (const command of ['rm -rf escape/x innocent', 'rm ~/.cl*', 'cat $XDG_CONFIG_HOME/x', 'find . -delete']) {
      const first = analyse(command)
      const replayed = analyseEffects(callOf('Bash', { command }), {
        ...options,
        world: createRecordedWorld(first.observations),
      })
      expect(replayed).toEqual(first)
    }
  })

  test('any tool with any arguments is analysed without an exception', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (name, input) => {
        const analysis = analyseEffects(callOf(name, input as never), options)
        expect(analysis.sideEffect).toBeDefined()
      }),
      { numRuns: 200 },
    )
  })
})

describe('budget', () => {
  test('depth running out is a gap, and the rest is followed', () => {
    const { effects, exhausted } = analyse('eval \'eval "eval x"\'; rm -rf /', { ...DEFAULT_EFFECT_BUDGET, depth: 1 })
    expect(exhausted).toBe(false)
    expect(effects.map(effectNotation)).toEqual(
      expect.arrayContaining(['unresolved+depth@unresolved', 'fs.delete+recursive+force@root']),
    )
  })

  test.each([
    { name: 'text', command: `echo ${'a'.repeat(5000)}`, budget: { ...DEFAULT_EFFECT_BUDGET, bytes: 1000 } },
    { name: 'nodes', command: 'echo a;'.repeat(500), budget: { ...DEFAULT_EFFECT_BUDGET, nodes: 300 } },
    {
      name: 'mutually recursive functions',
      command: `${Array.from({ length: 40 }, (_, at) => `f${at}() { f${at + 1}; f${at + 1}; }`).join('; ')}; f40() { ls; }; f0`,
      budget: DEFAULT_EFFECT_BUDGET,
    },
    {
      name: 'nested calls',
      command: `python3 -c '${'subprocess.run(['.repeat(3000)}'`,
      budget: DEFAULT_EFFECT_BUDGET,
    },
    { name: 'nested loops', command: `python3 -c '${'for x in ['.repeat(3000)}'`, budget: DEFAULT_EFFECT_BUDGET },
  ])('$name running out is reported', ({ command, budget }) => {
    const { effects, exhausted } = analyse(command, budget)
    expect(exhausted).toBe(true)
    expect(effects.map(effectNotation)).toContain('unresolved+budget@unresolved')
  })
})

test('the effects of a command have its span', () => {
  const command = 'echo hi && rm -rf /'
  const effect = analyse(command).effects.find((one) => one.kind === 'fs.delete')
  expect(command.slice(effect?.span?.start, effect?.span?.end)).toBe('rm -rf /')
})

test('effects of nested code have the span of the outer command', () => {
  const command = "echo hi; bash -c 'rm -rf /'"
  const effect = analyse(command).effects.find((one) => one.kind === 'fs.delete')
  expect(command.slice(effect?.span?.start, effect?.span?.end)).toBe("bash -c 'rm -rf /'")
})

test('effects in a branch are possible, those of a plain command certain', () => {
  expect(effectsOf('if a; then rm x; fi')).toEqual(['fs.delete?@workspace'])
  expect(effectsOf('test -d x || rm x')).toEqual(['fs.delete?@workspace'])
  expect(effectsOf('rm x')).toEqual(['fs.delete@workspace'])
})

test('secrets in the environment are never read', () => {
  const world = createGivenWorld({ env: { AWS_SECRET_ACCESS_KEY: 'never', BUILD_DIR: '/srv/build' } })
  const analysis = analyseEffects(callOf('Bash', { command: 'echo $AWS_SECRET_ACCESS_KEY; rm $BUILD_DIR/x' }), {
    ...options,
    world,
  })
  expect(JSON.stringify(analysis.observations)).not.toContain('never')
  expect(JSON.stringify(analysis.observations)).toContain('env:BUILD_DIR')
})

test('steps without a tool call have no effects', () => {
  const { kind: _kind, payload: _payload, ...base } = callOf('Bash', {})
  const analysis = analyseEffects({ ...base, kind: 'userMessage', payload: { text: 'rm -rf /' } }, options)
  expect(analysis).toEqual({ effects: [], exhausted: false, observations: [] })
})

test('a permission request is analysed like its call', () => {
  const call = callOf('Bash', { command: 'rm -rf /' })
  expect(analyseEffects({ ...call, kind: 'permissionRequest' }, options).effects).toEqual(
    analyseEffects(call, options).effects,
  )
})

const TOOLS = [
  { name: 'Read', input: { file_path: 'src/a.ts' }, effects: ['fs.read@workspace'] },
  {
    name: 'Read',
    input: { file_path: '/home/user/.ssh/id_rsa' },
    effects: ['fs.read@credential', 'secret.read@credential'],
  },
  { name: 'Read', input: { file_path: '/home/user/app/.env' }, effects: ['fs.read@dotenv', 'secret.read@dotenv'] },
  { name: 'Read', input: { file_path: 'escape/shadow' }, effects: ['fs.read@credential', 'secret.read@credential'] },
  { name: 'Write', input: { file_path: 'a.ts', content: '' }, effects: ['fs.write@workspace'] },
  { name: 'Write', input: { file_path: '/etc/hosts', content: '' }, effects: ['fs.write@system'] },
  {
    name: 'Write',
    input: { file_path: '.git/hooks/pre-commit', content: '' },
    effects: ['fs.write+script@vcs', 'persistence@vcs'],
  },
  {
    name: 'Write',
    input: { file_path: '~/.bashrc', content: '' },
    effects: ['fs.write@home-file', 'persistence@home-file'],
  },
  { name: 'Edit', input: { file_path: 'a.ts', old_string: 'a', new_string: 'b' }, effects: ['fs.write@workspace'] },
  { name: 'MultiEdit', input: { file_path: 'a.ts', edits: [] }, effects: ['fs.write@workspace'] },
  { name: 'NotebookEdit', input: { notebook_path: 'a.ipynb', new_source: '' }, effects: ['fs.write@workspace'] },
  { name: 'Glob', input: { pattern: '**/*.ts' }, effects: ['fs.list@workspace-root'] },
  { name: 'Grep', input: { pattern: 'x', path: 'package.json' }, effects: ['fs.read@workspace'] },
  {
    name: 'Grep',
    input: { pattern: 'KEY', path: '/home/user/.aws/credentials' },
    effects: ['fs.read@credential', 'secret.read@credential'],
  },
  { name: 'LS', input: { path: '/' }, effects: ['fs.list@root'] },
  { name: 'WebFetch', input: { url: 'https://e.example/x', prompt: '' }, effects: ['net.fetch'] },
  { name: 'WebSearch', input: { query: 'x' }, effects: ['net.fetch'] },
  { name: 'Task', input: { subagent_type: 'explore', prompt: 'rm -rf /' }, effects: ['agent.start'] },
  { name: 'TodoWrite', input: { todos: [] }, effects: [] },
  { name: 'ExitPlanMode', input: { plan: 'rm -rf /' }, effects: [] },
  { name: 'Bash', input: { command: 12 }, effects: ['unresolved+malformed@unresolved'] },
  {
    name: 'mcp__filesystem__read_file',
    server: 'filesystem',
    input: { path: '/home/user/.ssh/id_rsa' },
    effects: ['tool.call', 'fs.read?@credential', 'secret.read?@credential'],
  },
  {
    name: 'mcp__filesystem__delete_file',
    server: 'filesystem',
    input: { path: '/' },
    effects: ['tool.call', 'fs.delete?+recursive@root', 'guard.tamper?+recursive@root'],
  },
  {
    name: 'mcp__slack__post_message',
    server: 'slack',
    input: { channel: 'c', text: 'hi' },
    effects: ['tool.call', 'net.send'],
  },
  { name: 'mcp__web__fetch', server: 'web', input: { url: 'https://e.example' }, effects: ['tool.call', 'net.fetch?'] },
  { name: 'mcp__db__query', server: 'db', input: { sql: 'drop table a' }, effects: ['tool.call', 'db.destroy?'] },
  {
    name: 'mcp__term__execute_command',
    server: 'term',
    input: { command: 'rm -rf /' },
    effects: ['tool.call', 'fs.delete+recursive+force@root', 'guard.tamper+recursive+force@root', 'exec.run'],
  },
]

test.each(TOOLS)('$name $input', ({ name, input, server, effects }) => {
  expect(new Set(effectsOfTool(name, input as never, server))).toEqual(new Set<string>(effects))
})

const CLASSES = [
  { name: 'Bash', expected: 'code_execution' },
  { name: 'Read', expected: 'read_only' },
  { name: 'Write', expected: 'local_write' },
  { name: 'mcp__pay__create_payment', server: 'pay', expected: 'financial' },
  { name: 'mcp__gmail__send_email', server: 'gmail', expected: 'communication' },
  { name: 'mcp__github__list_issues', server: 'github', expected: 'read_only' },
  { name: 'mcp__github__create_issue', server: 'github', expected: 'external_write' },
  { name: 'mcp__filesystem__write_file', server: 'filesystem', expected: 'local_write' },
  { name: 'mcp__x__runScript', server: 'x', expected: 'code_execution' },
  { name: 'mcp__iam__grant_role', server: 'iam', expected: 'privileged' },
  { name: 'SomethingNew', expected: 'external_write' },
]

test.each(CLASSES)('$name is $expected', ({ name, server, expected }) => {
  expect(analyseEffects(callOf(name, {}, server), options).sideEffect).toBe(expected)
})
