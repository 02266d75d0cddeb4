import { execFile } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../../..')

test('npm/claude-code/ matches the table of events', async () => {
  const script = join(ROOT, 'scripts/build-plugin.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--check']).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')
})
