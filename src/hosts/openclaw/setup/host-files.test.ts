/** Whether an installed host has the seams that the guard depends on. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { codeWith } from '../../../../test/support/openclaw-code.ts'
import { HOST_TESTED } from '../host-internals.ts'
import { SEAM_NAMES, SEAMS } from '../seam-table.ts'
import { seamChecks } from './host-files.ts'

interface Given {
  readonly files: Readonly<Record<string, string>>
  readonly name?: string
  readonly version?: string
}

/** An installed host; the program on the PATH is a link into it, as npm makes them. */
const installed = ({ files, name = 'openclaw', version = HOST_TESTED }: Given): string => {
  const root = mkdtempSync(join(tmpdir(), 'sp-oc-files-'))
  onTestFinished(() => {
    rmSync(root, { recursive: true })
  })
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'openclaw.mjs'), '')
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name, version }))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, 'dist', file), text)
  symlinkSync(join(root, 'openclaw.mjs'), join(root, 'link'))
  return join(root, 'link')
}

const statuses = (program: string): readonly string[] => seamChecks(program).map(({ status }) => status)

test('all of them, in any file', () => {
  const half = SEAM_NAMES.slice(0, 3)
  const rest = SEAM_NAMES.slice(3)
  const files = { 'plugin-text-transforms-x.mjs': codeWith(half), 'moved.js': codeWith(rest), 'notes.txt': 'none' }
  expect(seamChecks(installed({ files }))).toEqual([
    { name: 'seams', status: 'ok', found: expect.stringContaining(`${HOST_TESTED} has all`) as string },
  ])
})

test.each(SEAM_NAMES)('without %s it fails, and reports what is missing and where', (seam) => {
  const files = { 'host.mjs': codeWith(SEAM_NAMES.filter((one) => one !== seam)) }
  const found = seamChecks(installed({ files, version: '2027.1.1' }))
  expect(found).toEqual([
    expect.objectContaining({
      status: 'fail',
      found: `OpenClaw 2027.1.1 has changed at the seam ${seam}: it has no ${SEAMS[seam].of}, so ${SEAMS[seam].gone}`,
      advice: expect.stringContaining(HOST_TESTED) as string,
    }),
  ])
})

describe('what it cannot decide', () => {
  test('another version has them by name only', () => {
    expect(statuses(installed({ files: { 'a.mjs': codeWith(SEAM_NAMES) }, version: '2027.1.1' }))).toEqual(['warn'])
  })

  test('another program', () => {
    expect(statuses(installed({ files: {}, name: 'wrapper' }))).toEqual(['warn'])
  })
})

test('the version that it was tested with is the one that the end-to-end tests run', () => {
  const pins = JSON.parse(readFileSync(new URL('../../../../e2e/clients.json', import.meta.url), 'utf8')) as {
    readonly openclaw: { readonly version: string }
  }
  expect(pins.openclaw.version).toBe(HOST_TESTED)
})
