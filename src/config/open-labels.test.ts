import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { observedText } from '../../test/support/observed-text.ts'
import { dataFiles } from './data-folder.ts'
import { openLabels } from './open-labels.ts'
import type { OpenLabels } from './open-labels.ts'

const PROGRAM = join(import.meta.dirname, '../../test/programs/remember-until-killed.ts')

describe('the memory of sessions in a data folder', () => {
  let data: string
  let lost: string[]
  const open = (): OpenLabels =>
    openLabels({
      files: dataFiles(data),
      durability: 'process',
      lost: (session, why) => lost.push(`${session ?? 'all'}: ${why}`),
    })
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'sallyport-labels-'))
    lost = []
  })
  afterEach(() => {
    rmSync(data, { recursive: true })
  })
  const retrieved = (session: string) =>
    observedText(session, 'knowledgeRetrieval', { source: 'w', content: 'x.example' })

  test('labels and origins of a session outlive the guard, and its key is for its owner only', async () => {
    const first = open()
    first.labels.observe(retrieved('s'))
    first.labels.give('s', ['secret'], 0)
    await first.close()
    const second = open()
    expect(second.labels.labelsOf('s', 0)).toEqual(['untrusted', 'secret'])
    expect(second.labels.origin('s', 'host', 'x.example').source).toBe('knowledge w')
    expect(second.labels.labelsOf('other', 0)).toEqual([])
    expect(statSync(dataFiles(data).labelsKey).mode & 0o777).toBe(0o600)
    await second.close()
    expect(lost).toEqual([])
  })

  test('a session resumed after the key was lost counts as the worst, and it is told', async () => {
    const first = open()
    first.labels.observe(retrieved('s'))
    await first.close()
    writeFileSync(dataFiles(data).labelsKey, 'short')
    const second = open()
    expect(second.labels.labelsOf('s', 0)).toEqual(['untrusted', 'secret', 'pii', 'injected'])
    second.labels.observe(observedText('new', 'sessionStart', { source: 'startup' }))
    expect(second.labels.labelsOf('new', 0)).toEqual([])
    await second.close()
    expect(lost).toEqual(['all: its file was set aside', 's: it may be one of those of which nothing is left'])
  })

  test('what was told to be kept is known after SIGKILL', { timeout: 20_000 }, async () => {
    const child = spawn(process.execPath, [PROGRAM, data], { stdio: ['ignore', 'pipe', 'inherit'] })
    let told = ''
    child.stdout.setEncoding('utf8')
    for await (const part of child.stdout as AsyncIterable<string>) {
      told += part
      if (told.split('\n').length > 100) break
    }
    const gone = once(child, 'close')
    child.kill('SIGKILL')
    await gone
    const kept = told.split('\n').slice(0, -1)
    expect(kept.length).toBeGreaterThanOrEqual(100)
    const again = open()
    for (const session of kept) {
      expect(again.labels.labelsOf(session, 0)).toEqual(['untrusted'])
      expect(again.labels.origin(session, 'host', `${session}.example`).origin).toBe('untrusted')
    }
    await again.close()
  })
})
