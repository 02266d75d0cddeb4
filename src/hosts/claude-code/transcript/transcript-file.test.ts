import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Transcript } from '../../../core/model-turns.ts'
import { openTranscript } from './transcript-file.ts'

const SESSION = '7359ca9b-48ed-4ba4-9b2b-86f51222ff73'
const root = mkdtempSync(join(tmpdir(), 'sallyport-transcript-file-'))
afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

describe('only files of the host are read', () => {
  const at = (path: string, agent: Transcript['agent'] = { id: 'main', role: 'main' }, main = path): Transcript => ({
    path,
    session: { id: SESSION, transcript: main },
    agent,
  })
  const folder = join(root, 'hostile')
  const own = join(folder, `${SESSION}.jsonl`)
  const child = { id: 'a1b2', role: 'subagent' } as const
  const linkTo = (target: string, name: string): Transcript => {
    const path = join(folder, name, `${SESSION}.jsonl`)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
    return at(path)
  }
  const fifo = (): Transcript => {
    const path = join(folder, 'fifo', `${SESSION}.jsonl`)
    mkdirSync(dirname(path), { recursive: true })
    execFileSync('mkfifo', [path])
    return at(path)
  }
  const directory = (): Transcript => {
    const path = join(folder, 'dir', `${SESSION}.jsonl`)
    mkdirSync(path, { recursive: true })
    return at(path)
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(own, '')

  test.each<{ readonly name: string; readonly transcript: () => Transcript; readonly outcome: string }>([
    { name: 'a file of the host', transcript: () => at(own), outcome: 'open' },
    { name: 'a missing file', transcript: () => at(join(folder, 'no', `${SESSION}.jsonl`)), outcome: 'missing' },
    { name: 'a link', transcript: () => linkTo(own, 'link'), outcome: 'refused' },
    { name: 'a link to a device', transcript: () => linkTo('/dev/zero', 'zero'), outcome: 'refused' },
    { name: 'a pipe without a writer', transcript: fifo, outcome: 'refused' },
    { name: 'a folder', transcript: directory, outcome: 'refused' },
    { name: 'a file of another name', transcript: () => at('/etc/passwd'), outcome: 'refused' },
    { name: 'a file of the kernel', transcript: () => at('/proc/self/environ'), outcome: 'refused' },
    {
      name: 'a path that goes back up',
      transcript: () => at(`${folder}/../hostile/${SESSION}.jsonl`),
      outcome: 'refused',
    },
    { name: 'a relative path', transcript: () => at(`${SESSION}.jsonl`), outcome: 'missing' },
    {
      name: 'a subagent’s outside the folder of its session',
      transcript: () => at('/etc/hostname', child, own),
      outcome: 'refused',
    },
  ])('$name: $outcome', async ({ transcript, outcome }) => {
    const opened = await openTranscript(transcript())
    if (opened.outcome === 'open') await opened.file.close()
    expect(opened.outcome).toBe(outcome)
  })
})
