import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ExitCode, Io } from '../io/io.ts'
import { policy } from './policy.ts'

let root = ''
let printed: string[] = []

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-policy-')))
  for (const name of ['config', 'app/.sallyport']) mkdirSync(join(root, name), { recursive: true })
  printed = []
})

afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

const write = (name: string, text: string): void => {
  mkdirSync(join(root, name, '..'), { recursive: true })
  writeFileSync(join(root, name), text)
}

const run = (args: readonly string[], change: Partial<Io> = {}): Promise<ExitCode> =>
  policy.run(args, {
    out: (text) => printed.push(text),
    err: (text) => printed.push(`! ${text}`),
    stdin: () => Promise.resolve(''),
    env: { SALLYPORT_CONFIG_HOME: join(root, 'config'), SALLYPORT_DATA: join(root, 'data') },
    cwd: join(root, 'app'),
    home: root,
    isTty: false,
    signal: new AbortController().signal,
    ...change,
  })

/** The printed output, with the temporary folder named `R`. */
const screen = (): string => printed.join('\n').replaceAll(root, 'R')

const SEND =
  '@id("no-send")\n@reason("Do not send. Write a file.")\nforbid (principal, action == Action::"toolCallRequest", resource)\nwhen { context.effects.contains("net.send") };\n'

describe('check', () => {
  test('the shipped policies have no faults', async () => {
    expect(await run(['check'])).toBe(0)
    expect(screen()).toBe('No errors found.')
  })

  test('a typing error: the position, the error, the nearest known word', async () => {
    write('app/p.cedar', SEND.replace('net.send', 'net.sent'))
    expect(await run(['check', 'p.cedar'])).toBe(1)
    expect(screen()).toMatchInlineSnapshot(
      `"p.cedar:4:33: no-send: "net.sent" is not an effect tag (kind, kind+trait, kind@zone or kind+trait@zone; docs/effects.md lists the words). Did you mean "net.send"?"`,
    )
  })

  test('one JSON value per line', async () => {
    write('config/policy.cedar', SEND.replace('@reason', '@reson'))
    expect(await run(['check', '--json'])).toBe(1)
    const problems = printed.map((line) => JSON.parse(line) as { readonly message: string; readonly line: number })
    expect(problems.map(({ line, message }) => [line, message])).toEqual([
      [1, '@reson is not a known annotation.'],
      [1, 'The forbid has no @reason.'],
    ])
  })

  test('text of a file cannot control the terminal', async () => {
    write('app/p.cedar', SEND.replace('net.send', 'net.\u001b[2Jsend'))
    expect(await run(['check', 'p.cedar'])).toBe(1)
    expect(screen()).not.toContain('\u001b')
  })

  test('a project’s files as written, trusted or not', async () => {
    write('app/.sallyport/policy.cedar', '@id("all") permit (principal, action, resource);')
    expect(await run(['check'])).toBe(1)
    expect(screen()).toBe(
      'R/app/.sallyport/policy.cedar:1:1: all: A project may only tighten the policy: it can forbid, not permit. Move it to the user or the managed policy.',
    )
  })

  test('a file as one of a layer', async () => {
    write('app/p.cedar', '@id("all") permit (principal, action, resource);')
    expect(await run(['check', 'p.cedar'])).toBe(0)
    expect(await run(['check', '--layer', 'project', 'p.cedar'])).toBe(1)
  })

  test('a missing file', async () => {
    await expect(run(['check', 'none.cedar'])).rejects.toThrow(/none\.cedar cannot be read: there is no such file/)
  })
})

describe('show', () => {
  test('a list as its generated rule, with its switch', async () => {
    write('config/sallyport.yaml', 'deny:\n  hosts: ["*.example.com"]\nrules:\n  deny-list-hosts: ask\n')
    expect(await run(['show', '--layer', 'user'])).toBe(0)
    expect(screen().replace(/version \w+/, 'version V')).toMatchInlineSnapshot(`
      "// user R/config/sallyport.yaml (deny lists):1 · switched to ask
      @id("deny-list-hosts")
      @reason("The policy here refuses this host. Continue without it, or ask the person to allow it.")
      @severity("high")
      forbid (principal, action in [Action::"toolCallRequest", Action::"permissionRequest"], resource)
      when {
        context.hosts.containsAny(["*.example.com"])
      };

      // 1 rule, version V"
    `)
  })

  test('as JSON: every rule with its switch', async () => {
    expect(await run(['show', '--json'])).toBe(0)
    const rules = printed.map((line) => JSON.parse(line) as { readonly id: string; readonly switch: string })
    expect(rules.find(({ id }) => id === 'package-publish')).toMatchObject({ switch: 'ask', layer: 'pack' })
  })

  test('an unknown layer', async () => {
    await expect(run(['show', '--layer', 'usr'])).rejects.toThrow(/did you mean user/)
  })
})

describe('trust', () => {
  test('applies a project’s files, and reports when they change', async () => {
    write('app/.sallyport/policy.cedar', SEND)
    await run(['show', '--layer', 'project'])
    expect(screen()).toContain('! This project has policy files that are not trusted')
    expect(screen()).toContain('// 0 rules')

    printed = []
    expect(await run(['trust', '.'])).toBe(0)
    expect(screen()).toMatch(/^Trusted \.sallyport\/policy\.cedar of R\/app \([0-9a-f]{12}\)\.$/)

    printed = []
    write('app/.sallyport/policy.cedar', '')
    await run(['show', '--layer', 'project'])
    expect(screen()).toContain('@id("no-send")')
    expect(screen()).toContain('! The policy files of this project have changed')
  })

  test('refuses what loosens, and stores nothing', async () => {
    write('app/.sallyport/policy.cedar', '@id("all") permit (principal, action, resource);')
    write('app/sallyport.yaml', 'rules:\n  delete-home: off\n')
    expect(await run(['trust', '.'])).toBe(1)
    expect(screen()).toMatch(/all: A project may only tighten/)
    rmSync(join(root, 'app/.sallyport/policy.cedar'))
    printed = []
    expect(await run(['trust', '.'])).toBe(1)
    expect(screen()).toMatch(/delete-home: cannot be switched to off: a project may only tighten the policy/)
    printed = []
    await run(['show', '--layer', 'project'])
    expect(screen()).toContain('// 0 rules')
  })

  test('needs a project with policy files', async () => {
    await expect(run(['trust', '.'])).rejects.toThrow(/has neither/)
    await expect(run(['trust'])).rejects.toThrow(/needs the folder/)
  })
})

describe('test', () => {
  const cases = (name: string, value: object): void => write(`config/${name}`, JSON.stringify(value))

  test('runs a folder’s own cases on its own policies', async () => {
    write('config/policy.cedar', SEND)
    const why = 'an example'
    cases('ALLOW/read.json', { name: 'a read', why, step: { command: 'cat README.md' } })
    cases('DENY/send.json', {
      name: 'a send',
      why,
      step: { command: 'curl -d a=1 https://a.example' },
      rule: 'no-send',
    })
    expect(await run(['test'])).toBe(0)
    expect(screen()).toMatchInlineSnapshot(`
      "PASS  ALLOW/read.json: a read
      PASS  DENY/send.json: a send
      2 cases: 2 PASS, 0 FAIL, 0 ERROR"
    `)
  })

  test('FAIL and ERROR are different, and both exit with 1', async () => {
    const why = 'an example'
    cases('DENY/read.json', { name: 'a read', why, step: { command: 'cat README.md' } })
    cases('ALLOW/typo.json', { name: 'typo', why, stepp: {} })
    cases('ALLOW/kind.json', { name: 'kind', why, step: { kind: 'toolCall' } })
    write('config/ALLOW/broken.json', '{')
    expect(await run(['test', join(root, 'config')])).toBe(1)
    expect(screen().replace(/not JSON: .*/, 'not JSON: …')).toMatchInlineSnapshot(`
      "ERROR ALLOW/broken.json: R/config/ALLOW/broken.json: it is not JSON: …
      ERROR ALLOW/kind.json: R/config/ALLOW/kind.json: "toolCall" is not a step kind
      ERROR ALLOW/typo.json: R/config/ALLOW/typo.json: a case has no "stepp"; did you mean "step"?
      FAIL  DENY/read.json: a read: expected deny, got allow
      4 cases: 0 PASS, 1 FAIL, 3 ERROR"
    `)
  })

  test('the wrong rule, and text left after masking, are failures', async () => {
    const why = 'an example'
    const key = { join: ['AKIA', 'Z7Q3', 'M5XW', 'P2LD', 'V6TB'] }
    const text = { join: ['Use ', ...key.join] }
    cases('DENY/rule.json', { name: 'rule', why, step: { command: 'rm -rf /' }, rule: 'delete-home' })
    cases('MASK/gone.json', { name: 'gone', why, step: { kind: 'userMessage', text }, gone: [key] })
    cases('MASK/left.json', { name: 'left', why, step: { kind: 'userMessage', text }, gone: [key, 'Use'] })
    expect(await run(['test'])).toBe(1)
    expect(screen()).toMatchInlineSnapshot(`
      "FAIL  DENY/rule.json: rule: expected rule delete-home, got deny (delete-root, guard-tamper)
      PASS  MASK/gone.json: gone
      FAIL  MASK/left.json: left: 1 of 2 texts remain
      3 cases: 1 PASS, 2 FAIL, 0 ERROR"
    `)
  })

  test('a folder without cases proves nothing', async () => {
    await expect(run(['test'])).rejects.toThrow(/There are no cases below/)
  })

  test('the cases of a pack', async () => {
    expect(await run(['test', '--pack', 'read-only', '--json'])).toBe(0)
    expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject({ fail: 0, error: 0 })
    await expect(run(['test', '--pack', '../../etc'])).rejects.toThrow(/There is no pack/)
  })
})

test('an unknown subcommand', async () => {
  await expect(run(['chek'])).rejects.toThrow(/did you mean check/)
  await expect(run([])).rejects.toThrow(/needs a subcommand/)
})
