import { checkSync } from 'recheck'
import { expect, test } from 'vitest'
import { INSTRUCTION_PATTERNS } from './instructs.ts'
import { MARKUP_PATTERNS } from './markup.ts'

test.each([...INSTRUCTION_PATTERNS, ...MARKUP_PATTERNS].map(({ source, flags }) => ({ source, flags })))(
  'no text takes this more than linear time: $source',
  { timeout: 60_000 },
  ({ source, flags }) => {
    expect(checkSync(source, flags, { timeout: 30_000 }).status).toBe('safe')
  },
)
