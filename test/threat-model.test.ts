import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/threat-model.md'), 'utf8')

/** A promise of the page: a row whose last cell names the tests that prove it, each as `file` with words of a title. */
const PROOF = /`((?:src|test|e2e|policies|bench)\/[\w./-]+)`(?: “([^”]+)”)?/g

const promises = page
  .split('\n')
  .filter((line) => line.startsWith('|') && /`(?:src|test|e2e|policies|bench)\//.test(line))
  .map((line) => ({ promise: line.split('|')[1]?.trim() ?? '', proofs: [...line.matchAll(PROOF)] }))

test('the page makes promises', () => {
  expect(promises.length).toBeGreaterThan(30)
})

describe('every promise of the threat model has a test that proves it', () => {
  test.each(promises)('$promise', ({ proofs }) => {
    expect(proofs.length).toBeGreaterThan(0)
    for (const [, path = '', title] of proofs) {
      expect(existsSync(join(root, path)), path).toBe(true)
      if (title !== undefined) expect(readFileSync(join(root, path), 'utf8'), path).toContain(title)
    }
  })
})

test('every adversary has its defences, with proofs, and its gaps', () => {
  const adversaries = page.split(/^## /m).filter((section) => section.startsWith('Adversary'))
  expect(adversaries.length).toBeGreaterThanOrEqual(6)
  for (const section of adversaries) {
    expect(section).toContain('| what holds | by | proof |')
    expect(section).toContain('**What does not hold.**')
  }
})
