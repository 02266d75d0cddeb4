/** Pages of guardians elsewhere: one each, and what they show as configuration is one. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../src/config/load.ts'
import { configJsonSchema } from '../src/config/schema.ts'

const folder = join(import.meta.dirname, '..', 'docs', 'guardians')
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'))

test('every scanner has its page', () => {
  const scanners = [...JSON.stringify(configJsonSchema()).matchAll(/"scanner":\{[^}]*"const":"([\w-]+)"/g)].map(
    ([, name]) => name,
  )
  expect(scanners).toContain('prisma-airs')
  const missing = scanners.filter((name) => name !== 'none' && !existsSync(join(folder, `${name}.md`)))
  expect(missing).toEqual([])
})

test.each(pages)('%s shows configurations that are read', (page) => {
  const text = readFileSync(join(folder, page), 'utf8')
  const shown = [...text.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, yaml = '']) => yaml)
  expect(shown.length).toBeGreaterThan(0)
  for (const yaml of shown)
    expect(loadConfig([{ layer: 'user', path: page, text: yaml }]).guardians.length).toBeGreaterThan(0)
})
