import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AicebergStandIn } from '../../src/testing/index.ts'
import { makeStage, type Stage } from './stage.ts'

const KEY = 'key-of-the-stand-in'

const configOf = ({ url }: AicebergStandIn, keyFile: string, mode: string): string =>
  [
    'guardians:',
    '  - id: aiceberg',
    '    scanner: aiceberg',
    `    url: ${url}`,
    '    useCaseId: e2e',
    `    apiKeyFile: ${keyFile}`,
    `    mode: ${mode}`,
  ].join('\n')

/** A stage whose guard asks a stand-in for Aiceberg; both end with the test. */
export const guardedByAiceberg = async (standIn: AicebergStandIn, mode = 'enforce'): Promise<Stage> => {
  onTestFinished(() => standIn.close())
  const keyFile = join('/tmp', `sallyport-e2e-key-${process.pid}`)
  await writeFile(keyFile, KEY, { mode: 0o600 })
  return makeStage({ config: configOf(standIn, keyFile, mode) })
}
