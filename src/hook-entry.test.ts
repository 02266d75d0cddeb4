import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, onTestFinished, test } from 'vitest'

const ENTRY = join(import.meta.dirname, 'hook-entry.ts')

/** Runs the entry as a host does: event on standard input, answer on standard output. */
const runEntry = (
  args: readonly string[],
  input: string | undefined,
): Promise<{ code: number | null; out: string }> => {
  const home = mkdtempSync(join(tmpdir(), 'sp-entry-'))
  onTestFinished(() => {
    rmSync(home, { recursive: true, force: true })
  })
  return new Promise((resolve) => {
    const all = [ENTRY, ...args, '--data', join(home, 'data'), '--serve', '/nonexistent/main.js']
    const child = spawn(process.execPath, all, { env: { HOME: home }, stdio: ['pipe', 'pipe', 'ignore'] })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
    child.on('close', (code) => {
      resolve({ code, out })
    })
    if (input !== undefined) child.stdin.end(input)
    else child.stdin.destroy()
  })
}

const DENY = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } }

test.each<{ name: string; args: readonly string[]; input: string | undefined; reply: object }>([
  { name: 'no guard can be had', args: ['claude-code', '--event', 'PreToolUse'], input: '{}', reply: DENY },
  { name: 'half an event', args: ['claude-code', '--event', 'PreToolUse'], input: '{"tool', reply: DENY },
  { name: 'no input', args: ['claude-code', '--event', 'PreToolUse'], input: undefined, reply: DENY },
  {
    name: 'the event only in the input',
    args: ['claude-code'],
    input: '{"hook_event_name":"PreToolUse"}',
    reply: DENY,
  },
  {
    name: 'without the name of the event',
    args: ['claude-code'],
    input: '\u0000',
    reply: { decision: 'block', continue: false },
  },
  { name: 'another host', args: ['nonsense', '--event', 'PreToolUse'], input: '{}', reply: DENY },
  { name: 'an unknown option', args: ['claude-code', '--event', 'PreToolUse', '--nope'], input: '{}', reply: DENY },
])('$name: refuses, as JSON and with exit code 0', async ({ args, input, reply }) => {
  const { code, out } = await runEntry(args, input)
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject(reply)
})
