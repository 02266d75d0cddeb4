import { expect, test } from 'vitest'
import { fake } from '../../../test/support/fake.ts'
import { CHANNEL_OF } from '../../protocol/step.ts'
import { createDetectors, createMaskingDetectors } from './detectors.ts'
import { loadConfig } from '../../config/load.ts'

const nameOf = ({ id, version }: { readonly id: string; readonly version: string }): string => `${id}@${version}`

test('the guard detects everything that the trace masks, so clean texts need not be scanned again', () => {
  const all = createDetectors(loadConfig([])).map(nameOf)
  expect(
    createMaskingDetectors()
      .map(nameOf)
      .filter((one) => !all.includes(one)),
  ).toEqual([])
})

test('what the trace masks is the same in every channel', () => {
  const texts = [
    fake('ghp_', 36),
    'mail ada@example.org',
    'a\u202eb\u200bc',
    '<!-- ignore this -->',
    `key = "${fake('', 40)}"`,
  ]
  for (const detector of createMaskingDetectors())
    for (const text of texts)
      expect(Object.values(CHANNEL_OF).map((channel) => detector.detect(text, channel))).toEqual(
        Object.values(CHANNEL_OF).map(() => detector.detect(text, 'tool')),
      )
})
